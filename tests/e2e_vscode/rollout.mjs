// The rollout that is opened: one turn with a call, its output, and a line that was cut off.

const THREAD = "0199b000-0000-7000-8000-000000000001";
const TURN = "0199b001-0000-7000-8000-000000000001";

const RECORDS = [
  ["session_meta", {
    id: THREAD, session_id: THREAD, timestamp: "2026-06-12T09:30:00.000Z", cwd: "/home/ada/teapot",
    originator: "codex_cli_rs", cli_version: "0.142.0", source: "cli", model_provider: "openai",
  }],
  ["event_msg", { type: "task_started", turn_id: TURN, model_context_window: 272000 }],
  ["turn_context", {
    turn_id: TURN, cwd: "/home/ada/teapot", approval_policy: "on-request",
    sandbox_policy: { type: "workspace-write" }, model: "gpt-5-codex", effort: "medium", summary: "auto",
  }],
  ["response_item", {
    type: "message", role: "user", content: [{ type: "input_text", text: "Why does the kettle test fail?" }],
  }],
  ["event_msg", {
    type: "user_message", message: "Why does the kettle test fail?", images: [], local_images: [], text_elements: [],
  }],
  ["response_item", {
    type: "function_call", name: "shell", call_id: "call_kettle",
    arguments: JSON.stringify({ command: ["pytest", "-q", "tests/test_kettle.py"], workdir: "/home/ada/teapot" }),
  }],
  ["response_item", {
    type: "function_call_output", call_id: "call_kettle",
    output: JSON.stringify({
      output: "FAILED tests/test_kettle.py::test_boils\nassert 99 == 100\n",
      metadata: { exit_code: 1, duration_seconds: 0.4 },
    }),
  }],
  ["response_item", { type: "reasoning", summary: [{ type: "summary_text", text: "cut" }], encrypted_content: "gAAA" }],
  ["response_item", {
    type: "message", role: "assistant", content: [{ type: "output_text", text: "It boils at 99: an off-by-one." }],
  }],
  ["event_msg", { type: "agent_message", message: "It boils at 99: an off-by-one." }],
  ["event_msg", { type: "task_complete", turn_id: TURN, last_agent_message: "It boils at 99: an off-by-one." }],
];

/** Line numbers from 1. */
export const CALL_LINE = 6;
export const OUTPUT_LINE = 7;
export const CUT_LINE = 8;

export function rollout() {
  const lines = RECORDS.map(([type, payload], index) => {
    const seconds = String(index).padStart(2, "0");
    return JSON.stringify({ timestamp: `2026-06-12T09:30:${seconds}.000Z`, type, payload });
  });
  lines[CUT_LINE - 1] = lines[CUT_LINE - 1].slice(0, -12);
  return `${lines.join("\n")}\n`;
}

/** The same turn with so many messages behind it that the whole has this size. */
export function longRollout(megabytes) {
  const message = { type: "agent_message", message: "The kettle is still warm. ".repeat(200) };
  const line = `${JSON.stringify({ timestamp: "2026-06-12T09:31:00.000Z", type: "event_msg", payload: message })}\n`;
  return rollout() + line.repeat(Math.ceil((megabytes * 1024 * 1024) / line.length));
}
