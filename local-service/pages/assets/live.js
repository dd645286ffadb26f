// The script of the live view: it shows the job's picture and status, and passes on what a person
// who has taken over does. Texts of the job are only ever set as text.

const STATE_INTERVAL_MS = 1000;
const PICTURE_INTERVAL_MS = 500;
/** While a person works, who waits for each picture. */
const QUICK_PICTURE_INTERVAL_MS = 100;
const SEND_INTERVAL_MS = 40;
const MAX_EVENTS = 200;

const base = location.pathname;
const picture = document.getElementById('picture');
/** Has the focus while a person types into the picture. */
const keys = document.getElementById('keys');
const buttons = [...document.querySelectorAll('#actions button')];

let isTakenOver = false;
let hasEnded = false;

/** Input that has not been sent yet. */
let waiting = [];

function sleep(ms) {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

function showProblem(text) {
	document.getElementById('problem').textContent = text;
}

function element(name, className, text) {
	const made = document.createElement(name);
	if (className) made.className = className;
	made.textContent = text;
	return made;
}

function toItem({ number, action, address, note, problems }) {
	const item = document.createElement('li');
	item.value = number;
	item.append(element('p', 'action', action), element('code', '', address));
	if (note) item.append(element('p', 'note', note));
	item.append(...problems.map((problem) => element('p', 'problem', problem)));
	return item;
}

function showTakenOver() {
	document.getElementById('frame').classList.toggle('taken-over', isTakenOver);
	document.getElementById('hint').hidden = !isTakenOver;
	keys.disabled = !isTakenOver;
}

function showState({ status, words, actions, steps }) {
	if (hasEnded) return;
	isTakenOver = status === 'user_taken_over';
	if (!isTakenOver) waiting = [];
	const line = document.getElementById('status');
	// A screen reader reads what changes, and only that.
	if (line.textContent !== words) line.textContent = words;
	for (const button of buttons) button.disabled = !actions[button.value];
	showTakenOver();
	document.getElementById('steps').replaceChildren(...steps.map(toItem));
}

function showEnd(words) {
	if (hasEnded) return;
	hasEnded = true;
	isTakenOver = false;
	waiting = [];
	document.getElementById('status').textContent = words;
	for (const button of buttons) button.disabled = true;
	showTakenOver();
	showProblem('');
	// Without an answer, the status says that the job has ended, and the history how.
	showEnding().catch(() => {});
}

/** Shows the answer and the files of the job, which has ended while the page was open. */
async function showEnding() {
	const history = document.getElementById('history').href;
	const response = await fetch(`${history}/ending`, { headers: { Accept: 'application/json' } });
	if (!response.ok) return;
	const { words, error, output, rest, files } = await response.json();
	document.getElementById('status').textContent = words;
	const ending = document.getElementById('ending');
	if (error) ending.append(element('h2', '', 'Error'), element('p', 'problem', error));
	if (output !== undefined) ending.append(element('h2', '', 'Answer'), element('pre', '', output));
	if (rest > 0) ending.append(element('p', '', `${rest} more characters are not shown.`));
	if (files.length > 0) {
		const list = document.createElement('ul');
		list.append(...files.map((file) => element('li', '', file)));
		ending.append(element('h2', '', 'Files'), list);
	}
	ending.hidden = false;
}

/** Sends JSON and returns the answer; it is `undefined` if there is none. */
async function send(path, body) {
	const response = await fetch(`${base}/${path}`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: JSON.stringify(body),
	});
	const answer = response.status === 204 ? undefined : await response.json();
	if (response.status === 410 || response.status === 404) showEnd(answer.problem);
	else showProblem(response.ok ? '' : (answer.problem ?? 'The status of the job has changed.'));
	return answer;
}

async function act(name) {
	try {
		const state = await send(name, {});
		if (state?.status) showState(state);
	} catch {
		showProblem('The service does not answer.');
	}
	if (isTakenOver) keys.focus({ preventScroll: true });
}

async function keepStateUpToDate() {
	while (!hasEnded) {
		try {
			const response = await fetch(`${base}/state`, { headers: { Accept: 'application/json' } });
			const state = await response.json();
			if (response.ok) showState(state);
			else if (response.status === 410 || response.status === 404) showEnd(state.problem);
		} catch {
			document.getElementById('status').textContent = 'The service does not answer.';
		}
		await sleep(STATE_INTERVAL_MS);
	}
}

/** Loads the next picture; the one before stays if there is none. */
async function loadPicture() {
	const response = await fetch(`${base}/picture`, { headers: { Accept: 'image/jpeg' } });
	if (response.status !== 200) return;
	const image = await createImageBitmap(await response.blob());
	if (picture.width !== image.width) picture.width = image.width;
	if (picture.height !== image.height) picture.height = image.height;
	picture.getContext('2d').drawImage(image, 0, 0);
	image.close();
}

async function keepPictureUpToDate() {
	while (!hasEnded) {
		// The state says it if the service does not answer.
		await loadPicture().catch(() => {});
		await sleep(isTakenOver ? QUICK_PICTURE_INTERVAL_MS : PICTURE_INTERVAL_MS);
	}
}

/** Where in the browser's picture the pointer is, in its own pixels. */
function positionOf({ clientX, clientY }) {
	const { left, top, width, height } = picture.getBoundingClientRect();
	const x = ((clientX - left) * picture.width) / width;
	const y = ((clientY - top) * picture.height) / height;
	return {
		x: Math.min(Math.max(0, x), Math.max(0, picture.width - 1)),
		y: Math.min(Math.max(0, y), Math.max(0, picture.height - 1)),
	};
}

function enter(event) {
	if (!isTakenOver) return;
	// Only where the pointer is matters, not all the places that it came by.
	if (event.type === 'move' && waiting.at(-1)?.type === 'move') waiting.pop();
	waiting.push(event);
}

/** Sends what was entered, in its order: a batch only after the one before was carried out. */
async function keepSending() {
	while (!hasEnded) {
		const events = waiting.splice(0, MAX_EVENTS);
		if (events.length > 0) {
			try {
				await send('input', { events });
			} catch {
				showProblem('The service does not answer.');
			}
		}
		await sleep(SEND_INTERVAL_MS);
	}
}

/** The name of a pressed key with its modifiers: `Control+a`, `Shift+Tab`. */
function keyName(event) {
	const modifiers = [];
	if (event.ctrlKey || event.metaKey) modifiers.push('Control');
	if (event.altKey) modifiers.push('Alt');
	if (event.shiftKey) modifiers.push('Shift');
	return [...modifiers, event.key].join('+');
}

/** Whether the key writes a character, also one that a keyboard has only by AltGr. */
function isCharacter(event) {
	if (event.key.length > 1) return false;
	return event.getModifierState('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey);
}

/** Takes over what has been written into the field: by keys, a composition or a voice. */
function enterText() {
	const text = keys.value;
	keys.value = '';
	if ([...text].length === 1) enter({ type: 'key', key: text });
	else if (text) enter({ type: 'text', text });
}

const BUTTONS = ['left', 'middle', 'right'];
const IGNORED_KEYS = ['Control', 'Shift', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Dead', 'Process'];

for (const type of ['down', 'up']) {
	picture.addEventListener(`mouse${type}`, (event) => {
		if (!isTakenOver) return;
		event.preventDefault();
		keys.focus({ preventScroll: true });
		const button = BUTTONS[event.button];
		if (button) enter({ type, ...positionOf(event), button });
	});
}

picture.addEventListener('mousemove', (event) => enter({ type: 'move', ...positionOf(event) }));

picture.addEventListener(
	'wheel',
	(event) => {
		if (!isTakenOver) return;
		event.preventDefault();
		const { deltaX, deltaY } = event;
		enter({ type: 'wheel', ...positionOf(event), deltaX, deltaY });
	},
	{ passive: false },
);

picture.addEventListener('contextmenu', (event) => {
	if (isTakenOver) event.preventDefault();
});

keys.addEventListener('keydown', (event) => {
	if (event.isComposing || IGNORED_KEYS.includes(event.key) || isCharacter(event)) return;
	// The paste event that follows has the text.
	if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v') return;
	event.preventDefault();
	if (event.shiftKey && event.key === 'Escape') keys.blur();
	else enter({ type: 'key', key: keyName(event) });
});

keys.addEventListener('input', (event) => {
	if (!event.isComposing) enterText();
});

keys.addEventListener('compositionend', enterText);

keys.addEventListener('paste', (event) => {
	event.preventDefault();
	const text = event.clipboardData.getData('text/plain');
	if (text) enter({ type: 'text', text });
});

for (const button of buttons) {
	button.addEventListener('click', () => void act(button.value));
}

void keepStateUpToDate();
void keepPictureUpToDate();
void keepSending();
