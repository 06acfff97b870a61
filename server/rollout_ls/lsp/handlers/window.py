"""What the client tells of itself: folders and files that come and go, a progress that is cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollout_ls.lsp.params import CancelProgress, Changed, DidChangeFolders

if TYPE_CHECKING:
    from rollout_ls.lsp.server import RolloutServer


def did_change_watched_files(ls: RolloutServer, _params: object) -> None:
    """workspace/didChangeWatchedFiles: what is known of the disk is looked up anew."""
    ls.threads.forget()
    for opened in ls.documents:
        ls.looks.due(opened)


def did_change_configuration(ls: RolloutServer, params: Changed) -> None:
    """workspace/didChangeConfiguration"""
    ls.configuration.changed(params.settings)


def did_change_workspace_folders(ls: RolloutServer, params: DidChangeFolders) -> None:
    """workspace/didChangeWorkspaceFolders"""
    gone = {folder.uri for folder in params.event.removed}
    new = [folder.uri for folder in params.event.added]
    ls.folders = tuple(dict.fromkeys([*(uri for uri in ls.folders if uri not in gone), *new]))


def work_done_progress_cancel(ls: RolloutServer, params: CancelProgress) -> None:
    """window/workDoneProgress/cancel"""
    ls.reading_progress.cancel(params.token)
