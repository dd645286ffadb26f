/** Builds the package into `folder`: a file of descriptions, one of what runs, and those n8n loads. */
export function bundle(folder: string): Promise<void>;
