import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { DefaultLogger } from '@temporalio/worker';
import { UntimedWorker } from '../../src/platform/temporal/worker.ts';
import { BUILT } from '../support/service/ensure-built.ts';

type CreateArguments = Parameters<(typeof UntimedWorker)['createWorkflowCreator']>;

const NO_MAP = { version: 3, sources: [], names: [], mappings: '' };

/** The static method is the SDK's, for classes that extend its worker. */
class Probe extends UntimedWorker {
  static create_(...given: CreateArguments) {
    return this.createWorkflowCreator(...given);
  }
}

test('no call into workflow code has a time limit', async () => {
  const limits: unknown[] = [];
  const watch = (_: unknown, ...[, options]: [vm.Context, (vm.RunningScriptOptions | string)?]): void => {
    limits.push(typeof options === 'object' ? options.timeout : undefined);
  };
  const { runInContext } = vm;
  const inContext = jest.spyOn(vm, 'runInContext').mockImplementation((code, context, options) => {
    watch(code, context, options);
    return runInContext(code, context, options) as unknown;
  });
  const bundle = { code: readFileSync(BUILT.workflows, 'utf8'), filename: 'workflow-bundle.js', sourceMap: NO_MAP };
  // `as`: only what the method reads. In `debugMode` the code runs in this thread, where its calls can be seen.
  const options = { activities: new Map(), debugMode: true, reuseV8Context: true, isolateExecutionTimeoutMs: 5_000 };
  const creator = await Probe.create_(
    bundle as unknown as CreateArguments[0],
    options as unknown as CreateArguments[1],
    new DefaultLogger('ERROR'),
  );
  await creator.destroy();
  inContext.mockRestore();
  expect(limits.length).toBeGreaterThan(0);
  expect(limits.filter((limit) => limit !== undefined)).toEqual([]);
});
