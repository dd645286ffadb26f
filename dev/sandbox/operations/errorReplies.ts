import { errorReply } from '../reply';

export const jobNotFound = errorReply(404, 'Job not found');

export const noCredits = errorReply(402, 'The account has no credits left');
