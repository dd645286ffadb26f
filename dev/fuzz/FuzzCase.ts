import type { INode, INodeParameters } from 'n8n-workflow';

/** What stands for things that are only known when the servers run, or must not be shown. */
export const TOKENS = {
	key: '$KEY',
	/** What the key begins with, and how its first word ends. */
	keyStart: '$START',
	keyWord: '$WORD',
	/** The key as in an address, and as in a web page. */
	percentKey: '$PERCENT',
	htmlKey: '$HTML',
	cdpUrl: '$CDP',
	/** A part of that address. */
	cdpPart: '$PART',
	service: '$SERVICE',
	fileHost: '$FILES',
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

/**
 * What is wrong with how a body is sent. The sandbox has faults for all that a sane server does.
 */
export const FRAMINGS = ['plain', 'longBody', 'noLength', 'badChunks'] as const;

/** What the server says to one request. */
export interface Reply {
	status: number;
	headers: Array<[string, string]>;
	body: Body;
	encoding: 'identity' | 'gzip' | 'truncatedGzip' | 'notGzip';
	framing: (typeof FRAMINGS)[number];
}

/** Those of the service as in its paths, and two of a file host. */
export const ENDPOINTS = [
	'run_browser_agent',
	'get_job_status',
	'pause_job',
	'resume_job',
	'get_job_files',
	'get_credit_balance',
	'health',
	'download',
	'list',
] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** The replies of each endpoint in their order; the last one is repeated. */
export type ServiceScript = Record<Endpoint, Reply[]>;

/** The JSON of the input items of every case. */
export const INPUT = [{ job_id: 'job_1' }, { job_id: 'job_2' }];

/** One run of a node against one service. It can be written as JSON. */
export interface FuzzCase {
	node: 'agent' | 'trigger';
	key: string;
	parameters: INodeParameters;
	settings: Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>;
	script: ServiceScript;
}

/** What the server has seen of a start. */
export interface StartArrival {
	reply: Reply;
	/** Whether the request held the address of the user's browser. */
	hasCdpUrl: boolean;
}

/** What has arrived for one case. */
export interface Arrivals {
	starts: StartArrival[];
	requests: number;
	/** Requests that held the key although it was not theirs. */
	leakedKeys: string[];
}
