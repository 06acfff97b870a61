// Decides which command starts the server, and says in plain words why one cannot be started.
// Pure: starts nothing, reads no setting, knows nothing of the vscode module.
import { isAbsolute, join } from "node:path";

export interface Settings {
  /** `rollout.python`; empty: the platform's usual name. */
  readonly python: string;
  /** `rollout.server.command`; empty: made from `python`. */
  readonly command: readonly string[];
}

export interface Machine {
  readonly windows: boolean;
  readonly home: string;
}

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** Arguments that make the program tell its version and end; none where only the user knows. */
  readonly check: readonly string[] | undefined;
}

/** Why the server does not run. `install` is the command that may cure it. */
export interface Problem {
  readonly message: string;
  readonly install?: string;
}

/** How the check of a command ended, see {@link Launch.check}. */
export type Outcome =
  | { readonly kind: "ok"; readonly version: string }
  | { readonly kind: "unstartable"; readonly code: string }
  | { readonly kind: "timeout"; readonly seconds: number }
  | { readonly kind: "exit"; readonly status: string; readonly stderr: string };

export function isProblem(value: object): value is Problem {
  return "message" in value;
}

export function chooseLaunch(settings: Settings, machine: Machine): Launch | Problem {
  const [program, ...args] = settings.command;
  if (program === undefined) {
    return pythonLaunch(settings.python.trim(), machine);
  }
  const path = expandHome(program, machine);
  return misplaced(path, "rollout.server.command") ?? { program: path, args, check: undefined };
}

function pythonLaunch(setting: string, machine: Machine): Launch | Problem {
  const program = expandHome(setting, machine) || (machine.windows ? "python" : "python3");
  const module = ["-m", "rollout_ls"];
  return (
    misplaced(program, "rollout.python") ?? {
      program,
      args: [...module, "server"],
      check: [...module, "--version"],
    }
  );
}

function expandHome(program: string, machine: Machine): string {
  return /^~[\\/]/.test(program) ? join(machine.home, program.slice(2)) : program;
}

/** A relative path would mean another program in each folder, so it is refused; a bare name is looked up in PATH. */
function misplaced(program: string, setting: string): Problem | undefined {
  if (program.trim() === "") {
    return { message: `Rollout: the setting ${setting} names no program.` };
  }
  if (isAbsolute(program) || !/[\\/]/.test(program)) {
    return undefined;
  }
  return { message: `Rollout: the setting ${setting} must be an absolute path, or a name to look up in PATH.` };
}

/** The command that installs the server for the interpreter that was asked. */
export function installCommand(program: string): string {
  const word = /[\s"'$&()]/.test(program) ? JSON.stringify(program) : program;
  return `${word} -m pip install path/to/the/rollout-ls/checkout`;
}

/** Puts into words why the check of `launch` did not end well; nothing when it did. */
export function checkProblem(launch: Launch, outcome: Outcome): Problem | undefined {
  const { program } = launch;
  const install = installCommand(program);
  switch (outcome.kind) {
    case "ok":
      return undefined;
    case "unstartable":
      return outcome.code === "ENOENT"
        ? {
            message:
              `Rollout: there is no program "${program}". ` +
              "Set rollout.python to a Python interpreter (3.10 or newer) that has rollout-ls.",
            install,
          }
        : { message: `Rollout: "${program}" cannot be run (${outcome.code}). See the setting rollout.python.` };
    case "timeout":
      return {
        message:
          `Rollout: "${program}" did not tell the version of rollout-ls within ${outcome.seconds} seconds. ` +
          "See the setting rollout.python.",
      };
    case "exit":
      return lacksServer(outcome.stderr)
        ? {
            message:
              `Rollout: "${program}" has no rollout-ls. Install it there (${install}), ` +
              "or set rollout.python to an interpreter that has it.",
            install,
          }
        : {
            message:
              `Rollout: "${program}" cannot run rollout-ls (${outcome.status})${lastLine(outcome.stderr)}. ` +
              "The output has more.",
            install,
          };
  }
}

function lacksServer(stderr: string): boolean {
  return /No module named '?rollout_ls\b/.test(stderr);
}

/** Python ends a traceback with the line that tells most. */
function lastLine(stderr: string): string {
  const last = stderr.trimEnd().split("\n").at(-1)?.trim().replace(/\.$/, "") ?? "";
  return last === "" ? "" : `: ${last.length > 200 ? `${last.slice(0, 200)}...` : last}`;
}

/** The server was started, and then did not get as far as an answer to `initialize`. */
export function startProblem(launch: Launch, reason: string): Problem {
  const setting = launch.check === undefined ? "rollout.server.command" : "rollout.python";
  return {
    message: `Rollout: the server did not start (${launch.program}: ${reason}). See the setting ${setting}.`,
  };
}
