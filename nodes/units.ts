/** One kibibyte, in bytes. */
export const KB = 1024;

/** One mebibyte, in bytes. */
export const MB = 1024 * KB;
