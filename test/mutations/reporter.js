/** The first line of a failure, without colours. */
// oxlint-disable-next-line no-control-regex -- colours begin with one
const reasonOf = ([message = '']) => message.replaceAll(/\u001b\[[\d;]*m/g, '').split('\n')[0];

/** Prints one line of JSON: how many tests have passed, and the titles of those that have failed, each with its reason. */
export default class Reporter {
  onRunComplete(_, { numPassedTests, testResults }) {
    const failed = testResults.flatMap((file) => [
      ...(file.testExecError === undefined
        ? []
        : [{ title: file.testFilePath, reason: String(file.testExecError.message) }]),
      ...file.testResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => ({ title: fullName, reason: reasonOf(failureMessages) })),
    ]);
    process.stdout.write(`${JSON.stringify({ passed: numPassedTests, failed })}\n`);
  }
}
