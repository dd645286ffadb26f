// A browser on a busy machine is late at times. What failed first is shown all the same.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
