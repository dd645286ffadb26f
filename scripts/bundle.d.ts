/** Builds the package into `folder`; the modules named in `also` can be loaded from it, too. */
export function bundle(folder: string, also?: string[]): Promise<void>;
