import { z } from 'zod';

/**
 * The servers that the global set-up has started, for the test files of this run: handed over in variables, which jest's workers
 * inherit.
 */
const started = z.object({
  POSTHORN_TEST_DATABASE_URL: z.string(),
  POSTHORN_TEST_TEMPLATE: z.string(),
  POSTHORN_TEST_TEMPORAL_ADDRESS: z.string(),
});

export type TestRun = {
  /** A database for statements about databases; tests use clones of the template only. */
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

/** Called by the global set-up once all is there. */
export function announceRun(run: TestRun): void {
  Object.assign(process.env, variablesOf(run));
}

/** The servers of this run. Throws outside of one: a test that needs them must not pass without. */
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
