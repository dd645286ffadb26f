import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

import type { InstalledN8n } from '../../../dev/n8n/installN8n';

/** The parts of the MCP SDK's client that are needed here. */
interface Client {
	connect(transport: object): Promise<void>;
	callTool(
		call: { name: string; arguments: Record<string, unknown> },
		resultSchema?: undefined,
		options?: { timeout?: number },
	): Promise<{ isError?: boolean; content: Array<{ type: string; text?: string }> }>;
	close(): Promise<void>;
}

const REGISTERED_WITHIN_MS = 30_000;
const RETRY_INTERVAL_MS = 500;

/** A client of an MCP server, the one of the MCP SDK that n8n contains. */
export class McpClient {
	private constructor(private readonly client: Client) {}

	/** Connects. Retries for half a minute, since n8n may not have registered its webhooks yet. */
	static async connect(
		n8n: { url: string; installed: InstalledN8n },
		path: string,
	): Promise<McpClient> {
		const load = createRequire(n8n.installed.program);
		const sdk = '@modelcontextprotocol/sdk/client';
		const { Client: SdkClient } = load(`${sdk}/index.js`) as {
			Client: new (info: { name: string; version: string }) => Client;
		};
		const { StreamableHTTPClientTransport } = load(`${sdk}/streamableHttp.js`) as {
			StreamableHTTPClientTransport: new (url: URL) => object;
		};
		const url = new URL(`${n8n.url}/mcp/${path}`);
		for (const deadline = Date.now() + REGISTERED_WITHIN_MS; ;) {
			const client = new SdkClient({ name: 'test', version: '1.0.0' });
			try {
				await client.connect(new StreamableHTTPClientTransport(url));
				return new McpClient(client);
			} catch (error) {
				if (Date.now() > deadline) throw error;
			}
			await sleep(RETRY_INTERVAL_MS);
		}
	}

	/**
	 * Calls a tool and returns the text of its answer. Rejects after `timeout` ms, by default after
	 * the SDK's minute.
	 */
	async call(name: string, input: Record<string, unknown> = {}, timeout?: number): Promise<string> {
		const options = timeout === undefined ? {} : { timeout };
		const { content } = await this.client.callTool({ name, arguments: input }, undefined, options);
		return content.map(({ text = '' }) => text).join('\n');
	}

	async close(): Promise<void> {
		await this.client.close();
	}
}
