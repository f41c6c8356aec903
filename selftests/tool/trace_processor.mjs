// SPDX-License-Identifier: GPL-2.0
// Asks Perfetto's trace processor about a trace. It is WebAssembly; a package of npm has it
// (selftests/lab/fetch trace-processor), with the browser's code around it, which this runs in node.
// usage: node trace_processor.mjs DIR TRACE <QUERIES
// QUERIES: a line each, NAME SQL. Prints an object of JSON for each row: its columns, and "query", the NAME.
// Integers are strings, as they may have 64 bits.
import fs from "node:fs";
import path from "node:path";
import url from "node:url";
import vm from "node:vm";

const [dir, trace] = process.argv.slice(2);
const CHUNK = 16 << 20;

// The code expects a worker of a browser, and fetches the WebAssembly by a request of its own.
function loadBridge() {
	globalThis.self = globalThis;
	globalThis.WorkerGlobalScope = function () {};
	globalThis.location = { href: url.pathToFileURL(dir).href + "/" };
	globalThis.tapmodWasm = fs.readFileSync(path.join(dir, "trace_processor.wasm"));
	let code = fs.readFileSync(path.join(dir, "engine_bundle.node.js"), "utf8");
	for (const [from, to] of [
		["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
		["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.tapmodWasm,"],
		["const wasmBridge = new wasm_bridge_1.WasmBridge();",
			"const wasmBridge = globalThis.tapmodBridge = new wasm_bridge_1.WasmBridge();"],
	]) {
		if (!code.includes(from))
			throw new Error(`engine_bundle.node.js is another version: it lacks ${from}`);
		code = code.replace(from, () => to);
	}
	vm.runInThisContext(code, { filename: "engine_bundle.node.js" });
	return globalThis.tapmodBridge;
}

const { EngineBase } = await import(url.pathToFileURL(path.join(dir, "engine.mjs")).href);

class Engine extends EngineBase {
	mode = "WASM";
	id = "tapmod";
	constructor(port) {
		super();
		this.port = port;
		port.onmessage = (message) => {
			if (message.data instanceof Uint8Array)
				this.onRpcResponseBytes(message.data);
		};
	}
	rpcSendRequestBytes(bytes) {
		this.port.postMessage(bytes);
	}
}

console.warn = () => {};	// of fields that are newer than this code
const channel = new MessageChannel();
loadBridge().initialize(channel.port1);
const engine = new Engine(channel.port2);
await new Promise((resolve) => setTimeout(resolve, 50));
const bytes = fs.readFileSync(trace);
for (let at = 0; at < bytes.length; at += CHUNK)
	await engine.parse(new Uint8Array(bytes.subarray(at, at + CHUNK)));
await engine.notifyEof();
const text = (key, value) => (typeof value === "bigint" ? String(value) : value);
for (const line of fs.readFileSync(0, "utf8").split("\n").filter((line) => line.trim())) {
	const [name] = line.split(" ", 1);
	const result = await engine.query(line.slice(name.length + 1));
	const columns = result.columns();
	for (const row = result.iter({}); row.valid(); row.next()) {
		const out = { query: name };
		for (const column of columns)
			out[column] = row.get(column);
		fs.writeSync(1, JSON.stringify(out, text) + "\n");
	}
}
process.exit(0);
