// Loaded by `NODE_OPTIONS=--import` into the service processes of a drill. A run with this mark never ends the evaluation of its step: the
// product knows nothing of the mark.
Error.stackTraceLimit = 60;

const parse: (...given: Parameters<typeof JSON.parse>) => unknown = JSON.parse;
JSON.parse = (text, reviver) => {
  if (String(text).includes('loop-run') && (new Error('where').stack ?? '').includes('engine/take-step')) for (;;);
  return parse(text, reviver);
};
