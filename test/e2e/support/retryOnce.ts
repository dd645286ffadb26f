// On a busy machine the browser can be too slow. The error of the first try is logged as well.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
