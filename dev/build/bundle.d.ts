/** Builds the package into `folder`: one bundle and the files that n8n loads. */
export function bundle(folder: string): Promise<void>;
