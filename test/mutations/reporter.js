/** Prints one line of JSON: how many tests have passed, and the titles of those that have failed. */
export default class Reporter {
  onRunComplete(_, { numPassedTests, testResults }) {
    const failed = testResults.flatMap((file) => [
      ...(file.testExecError === undefined ? [] : [`${file.testFilePath}: ${file.testExecError.message}`]),
      ...file.testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    ]);
    process.stdout.write(`${JSON.stringify({ passed: numPassedTests, failed })}\n`);
  }
}
