// Makes `rollout.trace.server` mean what it says. The client library traces only while the
// channel's own log level is Trace, which nobody finds; so it is given a view of the channel that
// says Trace whenever the setting asks for it, and writes at a level that is shown by default.
import { EventEmitter, LogLevel, type LogOutputChannel, workspace } from "vscode";

let changed: EventEmitter<LogLevel> | undefined;

export function traceChannel(output: LogOutputChannel): LogOutputChannel {
  const level = () => (asksForTrace() ? LogLevel.Trace : LogLevel.Info);
  if (changed === undefined) {
    // Once for all clients of this window.
    changed = new EventEmitter<LogLevel>();
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("rollout.trace.server")) changed?.fire(level());
    });
  }
  const onDidChangeLogLevel = changed.event;
  // Not a proxy of the channel itself: that may be frozen, and then every answer must be its own.
  return new Proxy({} as LogOutputChannel, {
    get(_target, name) {
      if (name === "logLevel") return level();
      if (name === "onDidChangeLogLevel") return onDidChangeLogLevel;
      if (name === "trace") return output.info.bind(output);
      const value: unknown = Reflect.get(output, name);
      return typeof value === "function" ? value.bind(output) : value;
    },
  });
}

function asksForTrace(): boolean {
  return workspace.getConfiguration("rollout").get("trace.server", "off") !== "off";
}
