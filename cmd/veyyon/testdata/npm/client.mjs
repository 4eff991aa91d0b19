// Drives a server with the SDK's own client, and holds every frame of it against
// the schema of the package. Arguments: the binary, a working directory.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import Ajv2020 from "ajv/dist/2020.js";
import * as acp from "@agentclientprotocol/sdk/unstable";

const [binary, cwd] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const sdk = path.dirname(path.dirname(path.dirname(path.dirname(createRequire(import.meta.url).resolve("@agentclientprotocol/sdk")))));

// -- the schema ----------------------------------------------------------------

const schemas = ["schema.json", "schema.unstable.json"].map((name) => {
  const schema = JSON.parse(readFileSync(path.join(sdk, "schema/v1", name), "utf8"));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(schema, name);
  return (type) => (schema.$defs[type] ? ajv.getSchema(`${name}#/$defs/${type}`) : undefined);
});

const results = {
  initialize: "InitializeResponse", authenticate: "AuthenticateResponse", "session/new": "NewSessionResponse", "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse", "session/fork": "ForkSessionResponse", "session/list": "ListSessionsResponse", "session/close": "CloseSessionResponse",
  "session/set_mode": "SetSessionModeResponse", "session/set_config_option": "SetSessionConfigOptionResponse", "session/prompt": "PromptResponse",
};
const requests = {
  "session/update": "SessionNotification", "session/request_permission": "RequestPermissionRequest", "fs/read_text_file": "ReadTextFileRequest",
  "fs/write_text_file": "WriteTextFileRequest", "elicitation/create": "CreateElicitationRequest", "$/cancel_request": "CancelRequestNotification",
  "terminal/create": "CreateTerminalRequest", "terminal/output": "TerminalOutputRequest", "terminal/wait_for_exit": "WaitForTerminalExitRequest",
  "terminal/kill": "KillTerminalRequest", "terminal/release": "ReleaseTerminalRequest",
};
const sent = new Map(); // method by id
const seen = new Set();
const faults = [];

function check(type, value, frame) {
  let known = false;
  for (const validator of schemas) {
    const valid = validator(type);
    if (!valid) continue;
    known = true;
    if (!valid(value)) faults.push(`${type}: ${JSON.stringify(valid.errors.slice(0, 3))} in ${JSON.stringify(frame).slice(0, 600)}`);
    break; // the stable schema counts where it has the type
  }
  if (!known) faults.push(`no schema for ${type}`);
  seen.add(type);
}

function receive(line) {
  const frame = JSON.parse(line);
  assert.equal(frame.jsonrpc, "2.0");
  if (frame.method) check(requests[frame.method], frame.params, frame);
  else if (frame.error) check("Error", frame.error, frame);
  else check(results[sent.get(frame.id)], frame.result, frame);
}

// -- the client ------------------------------------------------------------------

const server = spawn(binary, ["acp", "--model", "scripted/script", "--script", path.join(here, "turns.yml")], { stdio: ["pipe", "pipe", "inherit"], cwd });
const toClient = new PassThrough();
let rest = "";
server.stdout.on("data", (data) => {
  rest += data;
  const lines = rest.split("\n");
  rest = lines.pop();
  lines.filter(Boolean).forEach(receive);
  toClient.write(data);
});
server.stdout.on("end", () => toClient.end());
const toServer = new Writable({
  write(data, _, done) {
    for (const line of data.toString().split("\n").filter(Boolean)) {
      const frame = JSON.parse(line);
      if (frame.method && frame.id !== undefined) sent.set(frame.id, frame.method);
    }
    server.stdin.write(data, done);
  },
});

const updates = [];
const asked = [];
const stream = acp.ndJsonStream(Writable.toWeb(toServer), Readable.toWeb(toClient));
await acp
  .client({ name: "test" })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    asked.push(params);
    const approve = params.options.find((o) => o.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: approve.optionId } };
  })
  .onNotification(acp.methods.client.session.update, ({ params }) => { updates.push(params.update); })
  .connectWith(stream, async (ctx) => {
    const call = (method, params) => ctx.request(method, params);
    const agent = acp.methods.agent;
    const text = (words) => [{ type: "text", text: words }];

    const hello = await call(agent.initialize, { protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } });
    assert.equal(hello.protocolVersion, 1);
    await call(agent.authenticate, { methodId: "agent" });
    const { sessionId } = await call(agent.session.new, { cwd, mcpServers: [] });
    let turn = await call(agent.session.prompt, { sessionId, prompt: text("look around") });
    assert.equal(turn.stopReason, "end_turn");
    assert.ok(updates.some((u) => u.sessionUpdate === "plan") && updates.some((u) => u.sessionUpdate === "agent_thought_chunk"));

    turn = await call(agent.session.prompt, { sessionId, prompt: text("change something") });
    assert.equal(turn.stopReason, "end_turn");
    assert.equal(asked.length, 2);
    assert.ok(updates.some((u) => u.content?.some?.((c) => c.type === "diff")));

    const waiting = call(agent.session.prompt, { sessionId, prompt: text("wait for me") });
    while (!updates.some((u) => u.content?.text === "waiting")) await new Promise((r) => setTimeout(r, 5));
    await ctx.notify(agent.session.cancel, { sessionId });
    assert.equal((await waiting).stopReason, "cancelled");

    await call(agent.session.setMode, { sessionId, modeId: "plan" });
    turn = await call(agent.session.prompt, { sessionId, prompt: text("plan the work") });
    assert.equal(turn.stopReason, "end_turn");
    assert.ok(updates.some((u) => u.sessionUpdate === "current_mode_update" && u.currentModeId === "default"));
    await call(agent.session.setConfigOption, { sessionId, configId: "thinking", value: "off" });

    const { sessions } = await call(agent.session.list, { cwd });
    assert.deepEqual(sessions.map((s) => s.sessionId), [sessionId]);
    const fork = await call(agent.session.fork, { sessionId, cwd, mcpServers: [] });
    assert.notEqual(fork.sessionId, sessionId);
    await call(agent.session.close, { sessionId });
    await assert.rejects(call(agent.session.setMode, { sessionId, modeId: "plan" }));
    updates.length = 0;
    await call(agent.session.load, { sessionId, cwd, mcpServers: [] });
    assert.ok(updates.some((u) => u.sessionUpdate === "user_message_chunk" && u.content.text === "look around"));
    await call(agent.session.close, { sessionId });
    await call(agent.session.resume, { sessionId, cwd, mcpServers: [] });
    await new Promise((r) => setTimeout(r, 300)); // what follows the answer
  });
server.stdin.end();
assert.equal(await new Promise((r) => server.on("exit", r)), 0);
assert.deepEqual(faults, []);
for (const type of [...Object.values(results), "SessionNotification", "RequestPermissionRequest", "Error"]) assert.ok(seen.has(type), `${type} was never seen`);
console.log(`${seen.size} kinds of frames are as the schema has them`);
