// The life of the language server: checked, started, restarted (seldom), stopped.
// Loaded only once a rollout is open, since the client library is the bulk of this extension.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import { EventEmitter, type LanguageStatusItem, type LogOutputChannel, commands, env, window, workspace } from "vscode";
import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions, State } from "vscode-languageclient/node";
import { SELECTOR } from "./documents";
import { type Launch, type Problem, checkProblem, chooseLaunch, isProblem, startProblem } from "./launch";
import { check, endProcess, errorCode, startProcess } from "./process";
import { MAX_RESTARTS, Restarts } from "./restarts";
import { createServerItem, showState } from "./status";
import { traceChannel } from "./trace";

const CHECK_TIMEOUT_MS = 20_000; // a first start of Python from a cold, slow disk
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 2_000; // VS Code gives an extension some five seconds to end

const LAST_WORDS_MS = 500; // a closed pipe is seen a little before the process is gone

const OPEN_SETTINGS = "Open Settings";
const COPY_INSTALL = "Copy Install Command";
const RESTART = "Restart Server";
const SHOW_OUTPUT = "Show Output";

/** Starts and stops the one server of this window; its tasks run one after the other. */
export class Server {
  readonly #output: LogOutputChannel;
  readonly #folder: string;
  readonly #item: LanguageStatusItem;
  readonly #restarts = new Restarts();
  readonly #started = new EventEmitter<void>();
  /** A server runs: a new one each time. */
  readonly onStarted = this.#started.event;
  #queue: Promise<void> = Promise.resolve();
  #running: { client: LanguageClient; child: () => ChildProcessWithoutNullStreams | undefined } | undefined;
  #ended = false;

  /** `folder`: where the server's process is started, see startProcess. */
  constructor(output: LogOutputChannel, folder: string) {
    this.#output = output;
    this.#folder = folder;
    this.#item = createServerItem();
  }

  /** Checks and starts the server, after stopping the one that runs. Never rejects. */
  start(): Promise<void> {
    this.#restarts.clear();
    return this.#enqueue(async () => {
      await this.#stop();
      await this.#start(true);
    });
  }

  /** Asks the server; undefined where it does not run or does not know. Waits while it starts. Never rejects. */
  async ask<T>(method: string, params: object): Promise<T | undefined> {
    await this.#queue;
    try {
      return (await this.#running?.client.sendRequest<T | null>(method, params)) ?? undefined;
    } catch (error) {
      this.#output.warn(`${method}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Tells the server something; nothing happens where it does not run. Waits while it starts. Never rejects. */
  async tell(method: string, params: object): Promise<void> {
    await this.#queue;
    await this.#running?.client.sendNotification(method, params).catch(() => {});
  }

  /** Whether it runs, once its start is over. */
  async isRunning(): Promise<boolean> {
    await this.#queue;
    return this.#running !== undefined;
  }

  /** Ends the server for good. Never rejects. */
  end(): Promise<void> {
    this.#ended = true;
    return this.#enqueue(async () => {
      await this.#stop();
      this.#item.dispose();
      this.#started.dispose();
    });
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(task).catch((error) => this.#output.error(String(error)));
    return this.#queue;
  }

  async #start(checked: boolean): Promise<void> {
    if (this.#ended) {
      return;
    }
    showState(this.#item, "starting", "");
    const launch = chooseLaunch(readSettings(), { windows: process.platform === "win32", home: homedir() });
    if (isProblem(launch)) {
      return this.#fail(launch);
    }
    const problem = (checked ? await this.#check(launch) : undefined) ?? (await this.#connect(launch));
    if (problem !== undefined) {
      this.#fail(problem);
    }
  }

  async #check(launch: Launch): Promise<Problem | undefined> {
    if (launch.check === undefined) {
      return undefined;
    }
    const outcome = await check(launch.program, launch.check, this.#folder, CHECK_TIMEOUT_MS);
    if (outcome.kind === "ok") {
      this.#output.info(`Found ${outcome.version} in ${launch.program}`);
    } else if (outcome.kind === "exit") {
      this.#output.error(outcome.stderr);
    }
    return checkProblem(launch, outcome);
  }

  async #connect(launch: Launch): Promise<Problem | undefined> {
    this.#output.info(`Starting ${[launch.program, ...launch.args].join(" ")}`);
    let child: ChildProcessWithoutNullStreams | undefined;
    const start = async () => {
      child = await startProcess(launch.program, launch.args, this.#folder);
      child.once("exit", (code, signal) => this.#output.info(`The server ended (${signal ?? `exit code ${code}`})`));
      return child;
    };
    const client = new QuietClient("rollout", "Rollout", start, clientOptions(this.#output));
    try {
      await withTimeout(client.start(), START_TIMEOUT_MS);
    } catch (error) {
      await client.dispose(STOP_TIMEOUT_MS).catch(() => {}); // it rejects unless the client was running
      return startProblem(launch, (await exitOf(child)) ?? errorCode(error));
    }
    this.#running = { client, child: () => child };
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && this.#running?.client === client) {
        this.#running = undefined;
        this.#brokeOff();
      }
    });
    showState(this.#item, "running", client.initializeResult?.serverInfo?.version ?? "");
    this.#started.fire();
    return undefined;
  }

  #brokeOff(): void {
    if (this.#restarts.take(Date.now())) {
      showState(this.#item, "starting", "");
      void this.#enqueue(() => this.#start(false));
      return;
    }
    const message = `Rollout: the server broke off ${MAX_RESTARTS + 1} times within three minutes and stays off.`;
    showState(this.#item, "failed", "broke off");
    this.#output.error(message);
    void window.showErrorMessage(message, RESTART, SHOW_OUTPUT).then((choice) => {
      if (choice === RESTART) void this.start();
      if (choice === SHOW_OUTPUT) this.#output.show(true);
    });
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) {
      return;
    }
    this.#running = undefined; // first: what ends now was asked for
    showState(this.#item, "stopped", "");
    await running.client.dispose(STOP_TIMEOUT_MS).catch(() => {});
    const child = running.child();
    if (child !== undefined) {
      await endProcess(child, STOP_TIMEOUT_MS);
    }
  }

  #fail(problem: Problem): void {
    showState(this.#item, "failed", "see the output");
    this.#output.error(problem.message);
    const { install } = problem;
    const buttons = [OPEN_SETTINGS, install === undefined ? SHOW_OUTPUT : COPY_INSTALL];
    void window.showErrorMessage(problem.message, ...buttons).then(async (choice) => {
      if (choice === OPEN_SETTINGS) {
        await commands.executeCommand("workbench.action.openSettings", "@ext:rollout-ls.rollout-ls");
      } else if (choice === COPY_INSTALL && install !== undefined) {
        await env.clipboard.writeText(install);
        window.setStatusBarMessage(`Copied: ${install}`, 5_000);
      } else if (choice === SHOW_OUTPUT) {
        this.#output.show(true);
      }
    });
  }
}

/** The library says in notifications of its own what this extension says once, and better. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}

function clientOptions(output: LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: SELECTOR,
    outputChannel: output,
    traceOutputChannel: traceChannel(output),
    // What a server writes there is its log, so no error as such. Standard output is the protocol's.
    stdioOptions: { stdout: () => {}, stderr: (input) => logLines(input, output) },
    // The last one tells that lenses may lead somewhere: `rollout.goTo` is registered here.
    initializationOptions: () => ({ ...workspace.getConfiguration().get<object>("rollout"), commands: true }),
    synchronize: { configurationSection: "rollout" },
    diagnosticPullOptions: { onChange: true, onSave: true, onFocus: true },
    errorHandler: {
      error: (_error, _message, count) => ({
        action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      // Starting anew is done here, with a new client, so that there is one way to start.
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true, message: "The server's connection closed" }),
    },
    initializationFailedHandler: () => false,
  };
}

function logLines(input: NodeJS.ReadableStream, output: LogOutputChannel): void {
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => output.info(line));
}

function readSettings(): { python: string; command: string[] } {
  const settings = workspace.getConfiguration("rollout");
  // The editor does not hold settings.json to the types of the manifest.
  const python: unknown = settings.get("python");
  const command: unknown = settings.get("server.command");
  return {
    python: typeof python === "string" ? python : "",
    command: Array.isArray(command) ? command.map(String) : [],
  };
}

/** Ends the process of a failed start; says how it ended when it did so by itself. */
async function exitOf(child: ChildProcessWithoutNullStreams | undefined): Promise<string | undefined> {
  if (child === undefined) {
    return undefined;
  }
  await endProcess(child, LAST_WORDS_MS);
  return child.exitCode === null ? undefined : `exit code ${child.exitCode}`;
}

async function withTimeout(promise: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} seconds`)), timeoutMs);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
