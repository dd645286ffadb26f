import { stoppedError } from '../../../nodes/errors/stoppedError';

it('The error of a stopped execution contains the word by which n8n recognizes it', () => {
	const error = stoppedError('no job was started');

	expect(error.message).toBe('Execution canceled: no job was started');
	expect(error.details).toEqual({ isStop: true });
});
