import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { readSettings } from '../../local-service/settings';

const ROOT = path.join(__dirname, '../..');

interface ComposeService {
	env_file?: string;
	environment: Record<string, string | number>;
	ports: string[];
	cap_drop?: string[];
}

const compose = parse(read('local-service/compose.yaml')) as {
	services: Record<'service' | 'n8n', ComposeService>;
};
const dockerfile = read('local-service/Dockerfile');

function read(file: string): string {
	return readFileSync(path.join(ROOT, file), 'utf8');
}

/** What the example of .env sets when its keys are filled in. */
function readExample(): Record<string, string> {
	const lines = read('local-service/.env.example').split('\n');
	const pairs = lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split('='));
	return Object.fromEntries(pairs.map(([name, value]) => [name, value || 'a-key']));
}

/** The variables in a container. As Docker Compose does, it lets `environment` win. */
function environmentIn(service: ComposeService, env: Record<string, string>) {
	const own = Object.entries(service.environment).map(([name, value]) => [
		name,
		String(value).replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_all, variable, otherwise) => {
			return env[String(variable)] ?? String(otherwise ?? '');
		}),
	]);
	return { ...(service.env_file === undefined ? {} : env), ...Object.fromEntries(own) } as Record<
		string,
		string
	>;
}

describe('compose.yaml', () => {
	it('publishes ports on this machine only', () => {
		const ports = Object.values(compose.services).flatMap((service) => service.ports);

		expect(ports.length).toBeGreaterThan(0);
		expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
	});

	it('gives the service settings that it can use, with the example of .env', () => {
		const settings = readSettings(environmentIn(compose.services.service, readExample()));

		expect(settings).toMatchObject({
			host: '0.0.0.0',
			port: 3500,
			ownHosts: ['service'],
			url: 'http://127.0.0.1:3500',
			dataFolder: '/data',
			apiKey: 'a-key',
			modelKeys: { openai: 'a-key' },
		});
	});

	it('lets .env change what may be changed, but not where the container listens', () => {
		const env = {
			...readExample(),
			SERVICE_URL: 'https://agent.example.com',
			CHROMIUM_SANDBOX: 'on',
			SERVICE_PORT: '4000',
			SERVICE_DATA: '/elsewhere',
		};
		const settings = readSettings(environmentIn(compose.services.service, env));

		expect(settings).toMatchObject({
			url: 'https://agent.example.com',
			chromiumSandbox: true,
			port: 3500,
			dataFolder: '/data',
		});
	});

	it("gives n8n the service's key, and no model's", () => {
		const environment = environmentIn(compose.services.n8n, readExample());

		expect(environment).toEqual({ SERVICE_API_KEY: 'a-key' });
	});

	it('takes all capabilities from the service', () => {
		expect(compose.services.service.cap_drop).toEqual(['ALL']);
	});
});

describe('The Dockerfile', () => {
	it('has the n8n with which the nodes are tested', () => {
		const { dependencies } = JSON.parse(read('dev/n8n/install/package.json')) as {
			dependencies: { n8n: string };
		};

		expect(dockerfile).toContain(`FROM n8nio/n8n:${dependencies.n8n} AS n8n`);
	});

	it('runs the service as a user of its own', () => {
		const [, service] = dockerfile.split('AS service');

		expect(service).toMatch(/useradd --uid 10001 .* browser-agent[\s\S]*\nUSER browser-agent\n/);
	});
});
