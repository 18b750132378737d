// Loaded by `NODE_OPTIONS=--import` into the service processes of a drill. A run with this mark never ends the evaluation of its step: the
// product knows nothing of the mark. It waits instead of looping: the event loop stands still just the same, and other tests have the
// processor.
Error.stackTraceLimit = 60;
const forEver = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

const parse: (...given: Parameters<typeof JSON.parse>) => unknown = JSON.parse;
JSON.parse = (text, reviver) => {
  if (String(text).includes('loop-run') && (new Error('where').stack ?? '').includes('engine/take-step'))
    Atomics.wait(forEver, 0, 0);
  return parse(text, reviver);
};
