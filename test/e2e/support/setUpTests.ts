// On a busy machine the browser can be too slow. The error of the first attempt is logged as well.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
