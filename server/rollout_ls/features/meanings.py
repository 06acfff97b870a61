"""What a kind of record and a key of it mean, in the words of the catalogue, for the person who points at one.

Says what the formats know; whether something is newer than the build that made the file is said with it. All text is
for a ``Page``. Never decides whether a record is right.
"""

from __future__ import annotations

from rollout_ls.features.navigation import cut_place
from rollout_ls.features.page import code, named
from rollout_ls.features.words import one_line
from rollout_ls.formats.explanation import PlaceExplained
from rollout_ls.formats.records import earliest_release, explain_at, explain_kind, is_newer
from rollout_ls.projection.entry import Ref
from rollout_ls.text.rows import Place

_MAX_WORDS = 16
_NEEDS = {
    "required": "required",
    "optional": "optional",
    "default": "may be absent, but not null",
    "value": "required, may be null",
}


def kind_meaning(kind: str, version: str) -> str:
    """What a kind of record is, in a sentence or two; empty where it is not known."""
    explained = explain_kind(kind) if kind else None
    if explained is None:
        return "This version does not know the kind; it is shown as it stands." if not kind else ""
    facts = [named(explained.summary)]
    if explained.refused:
        facts.append("Today's Codex does not read it any more.")
    if is_newer(explained.since, explained.since_version, version):
        facts.append(_newer("The kind", explained.since, explained.since_version, version))
    return " ".join(fact for fact in facts if fact)


def key_meaning(ref: Ref, offset: int, version: str) -> tuple[Place | None, str]:
    """(the place of the key or value under the cursor, what it means); (None, "") where nothing is known of it."""
    found = explain_at(ref.line.data, ref.statement, offset)
    if found is None or (found[0].unlisted and not ref.statement.kind):
        return None, ""
    explained, span, on_key = found
    start, end = (span.key_start, span.key_end) if on_key else (span.start, span.end)
    return cut_place(ref.line, start, end), _about(explained, version)


def _about(place: PlaceExplained, version: str) -> str:
    if place.unlisted:
        return f"{code(place.path)}: this version does not know the key here."
    sort = [place.type, _NEEDS.get(place.need or "", "")] if not place.retired else ["the reader does not look at it"]
    head = " · ".join([code(place.path), *(named(one) for one in sort if one)])
    facts = [f"{head}: {named(place.meaning)}" if place.meaning else f"{head}."]
    if place.alias_of:
        facts.append(f"Another spelling of {code(place.alias_of)}.")
    if place.words:
        facts.append(_words(place))
    if place.since:
        facts.append(f"Since {_time(place.since, '')}.")
    if place.until:
        facts.append(f"Written until {place.until}.")
    if is_newer(place.since, "", version):
        facts.append(_newer("The key", place.since, "", version))
    return " ".join(facts)


def _words(place: PlaceExplained) -> str:
    words = list(place.words.items())
    if len(words) > _MAX_WORDS:
        return f"One of {len(words)} words{', or another one' if place.open else ''}."
    told = [f"{code(word)} ({named(about.rstrip('.'))})" if about else code(word) for word, about in words]
    return f"One of {', '.join(told)}{', or another word' if place.open else ''}."


def _time(since: str, since_version: str) -> str:
    release = since_version or earliest_release(since)
    if not since:
        return f"Codex {release}"
    return f"{since} (Codex {release}{' or later' if not since_version else ''})" if release else since


def _newer(what: str, since: str, since_version: str, version: str) -> str:
    return (
        f"{what} exists since {_time(since, since_version)}, which is newer than this file's Codex "
        f"{one_line(version, 40)}: a later build went on writing here."
    )
