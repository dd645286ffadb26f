/** A setting that can't be used. The message is one sentence that names it. */
export class SettingError extends Error {
	override readonly name = 'SettingError';
}
