import { z } from 'zod';

/** The servers that the global setup has started, passed to the test files of this run in variables, which jest's workers inherit. */
const started = z.object({
  POSTHORN_TEST_DATABASE_URL: z.string(),
  POSTHORN_TEST_TEMPLATE: z.string(),
  POSTHORN_TEST_TEMPORAL_ADDRESS: z.string(),
});

export type TestRun = {
  /** A database for statements about databases; tests use only clones of the template. */
  adminUrl: string;
  template: string;
  temporalAddress: string;
};

/** Variables that tell tests of these servers. */
const variablesOf = ({ adminUrl, template, temporalAddress }: TestRun): z.infer<typeof started> => ({
  POSTHORN_TEST_DATABASE_URL: adminUrl,
  POSTHORN_TEST_TEMPLATE: template,
  POSTHORN_TEST_TEMPORAL_ADDRESS: temporalAddress,
});

/** Called by the global setup once all servers run. */
export function announceRun(run: TestRun): void {
  Object.assign(process.env, variablesOf(run));
}

/** Returns the servers of this run. Throws outside a run, so that a test that needs them cannot pass without. */
export function currentRun(): TestRun {
  const { success, data } = started.safeParse(process.env);
  if (!success)
    throw new Error(
      'This test needs PostgreSQL and Temporal, which the global set-up of the integration tests starts: run it with jest from test/',
    );
  return {
    adminUrl: data.POSTHORN_TEST_DATABASE_URL,
    template: data.POSTHORN_TEST_TEMPLATE,
    temporalAddress: data.POSTHORN_TEST_TEMPORAL_ADDRESS,
  };
}
