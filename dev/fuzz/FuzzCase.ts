import type { INode, INodeParameters } from 'n8n-workflow';

import type { Fault, JobScript } from '../sandbox/types';

/** Placeholders for values that are known only at run time or must not be shown. */
export const TOKENS = {
	key: '$KEY',
	/** What the key begins with, and how its first word ends. */
	keyStart: '$START',
	keyWord: '$WORD',
	/** The key as in an address. */
	percentKey: '$PERCENT',
	cdpUrl: '$CDP',
	/** A part of that address, which must not be shown with it. */
	cdpPart: '$PART',
	service: '$SERVICE',
	fileHost: '$FILES',
	/** The IDs of the jobs that there are before the run. */
	firstJob: '$JOB1',
	secondJob: '$JOB2',
} as const;

/** What the body of a reply is made of. Large ones are described, not written out. */
export type Body =
	| { kind: 'text'; text: string }
	| { kind: 'json'; value: unknown }
	| { kind: 'bytes'; base64: string }
	| { kind: 'large'; shape: LargeShape; bytes: number; field?: string };

export const LARGE_SHAPES = [
	'letters',
	'brackets',
	'emptyArrays',
	'nestedArrays',
	'nestedObjects',
] as const;

export type LargeShape = (typeof LARGE_SHAPES)[number];

/** What is wrong with how a body is sent. */
export const FRAMINGS = ['plain', 'longBody', 'noLength', 'badChunks'] as const;

/** A reply that a sane server can't send. */
export interface OddReply {
	status: number;
	headers: Array<[string, string]>;
	body: Body;
	encoding: 'identity' | 'gzip' | 'truncatedGzip' | 'notGzip';
	framing: (typeof FRAMINGS)[number];
}

/** A fault of the sandbox; its raw bytes are described. */
export type FuzzFault = Fault | (Pick<Fault, 'endpoint' | 'times' | 'when'> & { reply: OddReply });

/** The JSON of the input items of every case. */
export const INPUT = [{ job_id: TOKENS.firstJob }, { job_id: TOKENS.secondJob }];

/** One run of a node against one sandbox. It can be written as JSON. */
export interface FuzzCase {
	node: 'agent' | 'trigger';
	key: string;
	parameters: INodeParameters;
	settings: Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>;
	/** How jobs go: those that there are before the run, then those that it starts. */
	jobs: JobScript[];
	faults: FuzzFault[];
}
