// Runs the playground's program, apart from the page so that it can be stopped. A message is a call: its number, the
// method and the JSON of the argument. The answer has the number, and the JSON of the result or an error. fatal is set if
// the program cannot be used any more.
importScripts("wasm_exec.js");

const memory = 500e6; // bytes

// unpacked fetches a compressed file.
async function unpacked(name, type) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return new Response(response.body.pipeThrough(new DecompressionStream("gzip")), {headers: {"Content-Type": type}});
}

// start returns the function of the program that takes calls.
async function start() {
  const go = new Go();
  let instance;
  const imports = go.importObject.gojs;
  const grown = imports["runtime.resetMemoryDataView"];
  imports["runtime.resetMemoryDataView"] = (sp) => {
    if (instance.exports.mem.buffer.byteLength > memory) postMessage({fatal: "this needs more than 500 MB of memory"});
    grown(sp);
  };
  go.exit = () => postMessage({fatal: "the program ended; the console has the reason"});
  const sources = unpacked("playground-sources.txtar.gz", "text/plain").then((r) => r.text());
  ({instance} = await WebAssembly.instantiateStreaming(unpacked("playground.wasm.gz", "application/wasm"), go.importObject));
  go.run(instance);
  return playground(await sources);
}

const started = start();
started.then(() => postMessage({ready: true}), (e) => postMessage({fatal: e.message}));

addEventListener("message", async ({data: {number, method, argument}}) => {
  const call = await started;
  try {
    postMessage({number, result: await call(method, argument)});
  } catch (e) {
    postMessage({number, error: e.message});
  }
});
