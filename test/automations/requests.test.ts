import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sealConnection } from '../../src/automations/connections/sealed.ts';
import { createLog } from '../../src/platform/log.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { historyTextOf } from '../support/make/history-of.ts';
import { type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';

describe('request addresses', () => {
  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: true });
    calls = workflowCalls(posthorn);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await posthorn.stop();
    await receiver.close();
  });

  const to = (path: string): string => new URL('/', receiver.url).href + path;
  const http = (id: string, config: object): Step => ({
    id,
    type: 'action',
    config: { action: 'http', retryPolicy: { maxRetries: 0 }, onError: 'continue', ...config },
  });
  const auth = { type: 'bearer', token: 'a token' };
  const manual = { type: 'manual' };

  // Regression: the value was inserted into the address unchanged: a message with `7/refund?all=true` chose path and parameters of a
  // request with a token.
  test('a message changes neither path, parameters nor host of a request that carries credentials', async () => {
    const workflowId = await calls.activate(manual, [
      { ...http('path', { url: `${to('orders/')}{{ event.payload.id }}/close`, auth }), next: 'query' },
      { ...http('query', { url: `${to('search?q=')}{{ event.payload.id }}&limit=1`, auth }), next: 'step' },
      { ...http('step', { url: `${to('orders/')}{{ event.payload.up }}`, auth }), next: 'none' },
      { ...http('none', { url: `${to('orders/')}{{ event.payload.none }}`, auth }), next: null },
    ]);
    const { id } = await calls.start(workflowId, { id: '7/refund?limit=9&all=true#', up: '..', none: null });
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    const coded = '7%2Frefund%3Flimit%3D9%26all%3Dtrue%23';
    expect(receiver.requests.map(({ path }) => path)).toEqual([`/orders/${coded}/close`, `/search?q=${coded}&limit=1`]);
    for (const step of ['step', 'none'])
      expect(stepOf(run, step).error).toEqual({
        code: 'EXPRESSION',
        message: 'a value in the path must not be empty, . or ..',
      });
  });

  test('a definition that lets a message choose the host of credentials is refused, and an older one does not send', async () => {
    const url = '{{ event.payload.url }}';
    const steps = [http('there', { url, auth })];
    const refused = await posthorn.request<{ error: { details: object } }>('POST', '/v1/workflows', {
      name: 'there',
      trigger: manual,
      steps,
    });
    expect([refused.status, refused.body.error.details]).toMatchObject([400, { field: 'steps[0].config.url' }]);
    const { errors } = await calls.good<{ errors: object[] }>('POST', '/v1/workflows/validate', {
      name: 'there',
      trigger: manual,
      steps,
    });
    expect(errors).toMatchObject([{ field: 'steps[0].config.url' }]);

    const workflowId = await calls.activate(manual, [http('there', { url })]);
    const sentBefore = receiver.requests.length;
    const open = await calls.ended((await calls.start(workflowId, { url: to('open') })).id);
    expect(stepOf(open, 'there').status).toBe('completed');
    expect(receiver.requests.slice(sentBefore).map(({ path }) => path)).toEqual(['/open']);

    await posthorn.deps.pool.query(`UPDATE workflow_versions SET steps = $1 WHERE workflow_id = $2`, [
      JSON.stringify(steps),
      workflowId,
    ]);
    const other = await calls.activate(manual, [http('there', { url: to('x'), headers: {} })]);
    await posthorn.deps.pool.query(`UPDATE workflow_versions SET steps = $1 WHERE workflow_id = $2`, [
      JSON.stringify([http('there', { url: to('old'), headers: { Host: 'evil.example', 'X-A': 'a' } })]),
      other,
    ]);
    await posthorn.worker.stop();
    await posthorn.worker.start();
    const closed = await calls.ended((await calls.start(workflowId, { url: to('stolen') })).id);
    expect(stepOf(closed, 'there').error).toMatchObject({
      code: 'EXPRESSION',
      message: expect.stringMatching(/^url: must have a literal scheme, host and port/),
    });
    expect(receiver.requests.filter(({ path }) => path === '/stolen')).toEqual([]);

    // A header that is never sent is not recorded as if it were.
    const old = await calls.ended((await calls.start(other)).id);
    expect(stepOf(old, 'there')).toMatchObject({ status: 'completed', input: { headers: { 'x-a': 'a' } } });
    expect(stepOf(old, 'there').input).not.toHaveProperty('headers.host');
  });

  test('a header with a line break from a message fails its step at once, and is not sent', async () => {
    const sentBefore = receiver.requests.length;
    const workflowId = await calls.activate(manual, [
      http('note', { url: to('note'), headers: { 'X-Note': '{{ event.payload.note }}' } }),
    ]);
    const run = await calls.ended((await calls.start(workflowId, { note: 'a\r\nX-Admin: true' })).id);
    expect(stepOf(run, 'note').error).toEqual({
      code: 'EXPRESSION',
      message: 'headers.x-note: must not contain a line break or another character that is invalid in a header',
    });
    expect(receiver.requests).toHaveLength(sentBefore);
  });

  // Regression: the value became part of the path unchanged: a message chose parameters and further parts of it.
  test('a value inside the path of the connector http stays one part of it, and a single template is the whole path', async () => {
    const connection = await calls.good<{ id: string }>('POST', '/v1/connections', {
      connectorId: 'http',
      name: 'CRM',
      credentials: { baseUrl: to('crm'), value: 'a key' },
    });
    const get = (id: string, path: string, next: string | null): Step => ({
      id,
      type: 'action',
      config: {
        action: 'connector',
        connectorId: 'http',
        operation: 'get',
        connectionId: connection.id,
        params: { path },
        onError: 'continue',
      },
      next,
    });
    const workflowId = await calls.activate(manual, [
      get('part', '/deals/{{ event.payload.id }}/lines', 'step'),
      get('step', '/deals/{{ event.payload.up }}', 'whole'),
      get('whole', '{{ event.payload.path }}', null),
    ]);
    const sentBefore = receiver.requests.length;
    const payload = { id: '7/refund?all=true', up: '..', path: '/deals/8?full=1' };
    const run = await calls.ended((await calls.start(workflowId, payload)).id);
    expect(receiver.requests.slice(sentBefore).map(({ path }) => path)).toEqual([
      '/crm/deals/7%2Frefund%3Fall%3Dtrue/lines',
      '/crm/deals/8?full=1',
    ]);
    expect(stepOf(run, 'step').error?.code).toBe('EXPRESSION');
  });

  test.each(['Host', 'content-length', 'User-Agent'])(
    'a connection with the key in %s, which is never sent, is refused',
    async (header) => {
      const { status, body } = await posthorn.request<{ error: { details: { field: string } } }>(
        'POST',
        '/v1/connections',
        {
          connectorId: 'http',
          name: 'CRM',
          credentials: { baseUrl: to('crm'), header, value: 'a key' },
        },
      );
      expect([status, body.error.details.field]).toEqual([400, 'credentials.header']);
    },
  );

  test.each([
    ['tokenUrl', 'http://10.0.0.1/token', 'must not be a private, local or reserved address'],
    ['baseUrl', 'http://169.254.169.254/latest', 'must not be a private, local or reserved address'],
    ['tokenUrl', 'https://id.example.com:5432/token', 'port'],
  ])('a connection with the %s %s is refused, new or changed', async (field, address, reason) => {
    const credentials = {
      baseUrl: to('crm'),
      authorizationUrl: 'https://id.example.com/authorize',
      tokenUrl: 'https://id.example.com/token',
      clientId: 'posthorn',
      clientSecret: 'a secret',
    };
    const good = { connectorId: 'http-oauth', name: 'CRM', credentials };
    const { id } = await calls.good<{ id: string }>('POST', '/v1/connections', good);
    const bad = { ...credentials, [field]: address };
    for (const answer of [
      await posthorn.request('POST', '/v1/connections', { ...good, credentials: bad }),
      await posthorn.request('PATCH', `/v1/connections/${id}`, { credentials: bad }),
    ])
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { details: { field: `credentials.${field}`, reason: expect.stringContaining(reason) } } },
      });
  });

  // Such a connection was taken, and a step that used it was tried four times as a fault of the network.
  test('a connection with a value that no header can have is refused, and one from before is not tried again', async () => {
    const reason = 'must not contain a line break or another character that is invalid in a header';
    const credentials = { baseUrl: to('crm'), header: 'X-Key', value: 'a key' };
    const good = { connectorId: 'http', name: 'CRM', credentials };
    const { id } = await calls.good<{ id: string }>('POST', '/v1/connections', good);
    for (const value of ['a\r\nX-Admin: true', '🤷']) {
      const bad = { ...credentials, value };
      for (const answer of [
        await posthorn.request('POST', '/v1/connections', { ...good, credentials: bad }),
        await posthorn.request('PATCH', `/v1/connections/${id}`, { credentials: bad }),
      ])
        expect(answer).toMatchObject({
          status: 400,
          body: { error: { details: { field: 'credentials.value', reason } } },
        });
    }

    const ask: Step = {
      id: 'ask',
      type: 'action',
      config: { action: 'connector', connectorId: 'http', operation: 'get', connectionId: id, params: { path: '/x' } },
    };
    const workflowId = await calls.activate(manual, [ask]);
    const sentBefore = receiver.requests.length;
    // The refused PATCH has changed nothing.
    expect((await calls.ended((await calls.start(workflowId)).id)).status).toBe('completed');
    expect(receiver.requests.slice(sentBefore).map(({ headers }) => headers['x-key'])).toEqual(['a key']);

    const ciphertext = sealConnection(posthorn.deps.keyRing, id, { credentials: { ...credentials, value: 'a\nb' } });
    await posthorn.deps.pool.query('UPDATE connections SET ciphertext = $1 WHERE id = $2', [ciphertext, id]);
    const old = await calls.ended((await calls.start(workflowId)).id);
    expect(stepOf(old, 'ask')).toMatchObject({
      attempts: 1,
      error: {
        code: 'CONNECTION_UNREADABLE',
        message: `the credentials cannot be sent in the header x-key: it ${reason}`,
      },
    });
    expect(receiver.requests).toHaveLength(sentBefore + 1);
  });

  // Regression: the values were in headers, and the failure was reported as that of a network: four attempts, without naming the field.
  test('a token that is invalid in a header fails its step at once, from a message and from a secret', async () => {
    const sentBefore = receiver.requests.length;
    await calls.good('POST', '/v1/secrets', { name: 'BROKEN', value: 'a\nb' });
    const bearer = (id: string, token: string, next: string | null) => ({
      ...http(id, { url: to(id), auth: { type: 'bearer', token }, retryPolicy: {} }),
      next,
    });
    const basic = { type: 'basic', username: '{{ event.payload.line }}', password: '{{ secrets.BROKEN }}' };
    const workflowId = await calls.activate(manual, [
      bearer('line', '{{ event.payload.line }}', 'emoji'),
      bearer('emoji', '{{ event.payload.emoji }}', 'secret'),
      bearer('secret', '{{ secrets.BROKEN }}', 'coded'),
      // In base64 they are valid in any header.
      http('coded', { url: to('coded'), auth: basic }),
    ]);
    const run = await calls.ended((await calls.start(workflowId, { line: 'a\nb', emoji: '🤷' })).id);
    expect(run.status).toBe('completed');
    for (const id of ['line', 'emoji', 'secret'])
      expect(stepOf(run, id)).toMatchObject({
        attempts: 1,
        error: {
          code: 'EXPRESSION',
          message: 'auth.token: must not contain a line break or another character that is invalid in a header',
        },
      });
    expect(receiver.requests.slice(sentBefore).map(({ path }) => path)).toEqual(['/coded']);
  });

  // Regression: this was BLOCKED_ADDRESS, which is for addresses inside the network: a false alarm that no handler for EXPRESSION
  // caught.
  test('a URL that is too long or has another scheme is an error of the expression, and a private address is not', async () => {
    const sentBefore = receiver.requests.length;
    await calls.good('POST', '/v1/secrets', { name: 'LONG', value: 'x'.repeat(3_000) });
    const connection = await calls.good<{ id: string }>('POST', '/v1/connections', {
      connectorId: 'http',
      name: 'CRM',
      credentials: { baseUrl: to('crm'), value: 'a key' },
    });
    const params = { path: '/x', query: { q: '{{ event.payload.long }}' } };
    const asked = { action: 'connector', connectorId: 'http', operation: 'get', connectionId: connection.id, params };
    const workflowId = await calls.activate(manual, [
      { ...http('scheme', { url: '{{ event.payload.scheme }}' }), next: 'script' },
      { ...http('script', { url: '{{ event.payload.script }}' }), next: 'none' },
      { ...http('none', { url: '{{ event.payload.none }}' }), next: 'long' },
      { ...http('long', { url: to('long'), query: { q: '{{ event.payload.long }}' } }), next: 'secret' },
      { ...http('secret', { url: to('secret'), query: { q: '{{ secrets.LONG }}' } }), next: 'connector' },
      { id: 'connector', type: 'action', config: { ...asked, onError: 'continue' }, next: 'inside' },
      http('inside', { url: '{{ event.payload.inside }}' }),
    ]);
    const { id } = await calls.start(workflowId, {
      scheme: 'ftp://a.example/',
      script: 'javascript:alert(1)',
      none: 'nowhere',
      long: 'x'.repeat(3_000),
      inside: 'http://10.1.2.3/',
    });
    const run = await calls.ended(id);
    const tooLong = 'the URL must be at most 2048 characters';
    const errors = ['scheme', 'script', 'none', 'long', 'secret', 'connector', 'inside'].map((each) => [
      stepOf(run, each).error?.code,
      stepOf(run, each).error?.message,
      stepOf(run, each).attempts,
    ]);
    expect(errors).toEqual([
      ['EXPRESSION', 'url: the URL must be an absolute http or https URL', 1],
      ['EXPRESSION', 'url: the URL must be an absolute http or https URL', 1],
      ['EXPRESSION', 'url: must be a valid URL', 1],
      ['EXPRESSION', `url: ${tooLong}`, 1],
      ['EXPRESSION', `url: ${tooLong}`, 1],
      ['INVALID_PARAMS', `the parameters do not form a valid address: ${tooLong}`, 1],
      ['BLOCKED_ADDRESS', 'the URL must not be a private, local or reserved address', 1],
    ]);
    expect(receiver.requests).toHaveLength(sentBefore);
  });
});

describe('secrets', () => {
  type Secret = { id: string; name: string; createdAt: string; updatedAt: string; lastUsedAt?: string };
  type Refused = { error: { code: string; details?: { field: string; reason: string } } };

  /** Prefix of the values of these secrets: it must not be found anywhere. */
  const WORD = 'hush-4711';

  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  let answer: (request: ReceivedRequest) => Answer = () => 200;
  const logged: string[] = [];

  beforeAll(async () => {
    const log = createLog('trace', { destination: { write: (line) => void logged.push(line) } });
    posthorn = await startPosthorn({ log });
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({ answer: (request) => answer(request) });
  });
  afterAll(async () => {
    await posthorn.stop();
    await receiver.close();
  });

  const keep = (name: string, value: string): Promise<Secret> => calls.good('POST', '/v1/secrets', { name, value });
  const once = { maxRetries: 0 };
  const http = (config: object) => ({
    id: 'call',
    type: 'action',
    config: { action: 'http', url: receiver.url, retryPolicy: once, ...config },
  });
  const run = async (config: object, payload: unknown = {}) => {
    const { id } = await calls.start(await calls.activate({ type: 'manual' }, [http(config)]), payload);
    return calls.ended(id);
  };

  test('a step sends secrets in headers, query and auth; its receiver returns them, and they are in no row, history or log', async () => {
    await keep('CRM', `${WORD} "crm"/ü`);
    await keep('USER', `${WORD}-user`);
    await keep('HEADER', `${WORD}-header`);
    answer =
      ({ headers, path }) =>
      (response) => {
        const said = { path, by: headers.authorization, note: headers['x-note'], both: `${WORD} "crm"/ü`, number: 7 };
        const escaped = JSON.stringify(said).replaceAll('h', '\\u0068');
        response
          .writeHead(200, { 'content-type': 'application/json', 'x-note': String(headers['x-note']) })
          .end(escaped);
      };
    const ended = await run(
      {
        method: 'GET',
        headers: { 'X-Note': 'for {{ event.payload.who }}: {{ secrets.HEADER }}, {{ secrets.HEADER }}.' },
        query: { key: '{{ secrets.CRM }}', plain: '{{ event.payload.who }}' },
        auth: { type: 'basic', username: '{{ secrets.USER }}', password: '{{ secrets.CRM }}' },
      },
      { who: '[secret CRM] {{ secrets.CRM }}' },
    );

    expect(ended.status).toBe('completed');
    const [request, ...more] = receiver.requests;
    expect(more).toEqual([]);
    const who = '[secret CRM] {{ secrets.CRM }}';
    expect(request?.headers['x-note']).toBe(`for ${who}: ${WORD}-header, ${WORD}-header.`);
    expect([...new URL(request?.path ?? '', receiver.url).searchParams]).toEqual([
      ['plain', who],
      ['key', `${WORD} "crm"/ü`],
    ]);
    const basic = Buffer.from(`${WORD}-user:${WORD} "crm"/ü`).toString('base64');
    expect(request?.headers.authorization).toBe(`Basic ${basic}`);

    const { input, output } = stepOf(ended, 'call');
    expect(input).toMatchObject({
      headers: { 'x-note': `for ${who}: [secret HEADER], [secret HEADER].` },
      query: { key: ['[secret CRM]'] },
      auth: { type: 'basic', username: '[secret USER]', password: '[secret CRM]' },
    });
    expect(output).toMatchObject({
      headers: { 'x-note': `for ${who}: [secret HEADER], [secret HEADER].` },
      body: { note: `for ${who}: [secret HEADER], [secret HEADER].`, both: '[secret CRM]', number: 7 },
    });
    const forms = [WORD, encodeURIComponent(WORD), basic, Buffer.from(WORD).toString('base64').slice(0, 11)];
    const history = await historyTextOf(posthorn, `run/${ended.id}/1`);
    expect(history).toContain(`"runId":"${ended.id}"`);
    for (const form of forms) {
      expect(JSON.stringify(ended)).not.toContain(form);
      expect(history).not.toContain(form);
      expect(await tablesThatHold(posthorn.deps.pool, form)).toEqual([]);
      expect(logged.join('\n')).not.toContain(form);
    }
    expect(logged.length).toBeGreaterThan(0);
  });

  test('an error that repeats a secret shows its name', async () => {
    await keep('ECHOED', `${WORD}-echoed`);
    for (const [type, body] of [
      ['text/plain', `no ${WORD}-echoed here`],
      ['application/json', JSON.stringify({ no: `${WORD}-echoed` })],
    ] as const) {
      answer = () => (response) => void response.writeHead(403, { 'content-type': type }).end(body);
      const { error } = await run({ auth: { type: 'bearer', token: '{{ secrets.ECHOED }}' } });
      expect(error?.code).toBe('HTTP_403');
      expect(error?.message).toContain('[secret ECHOED]');
      expect(error?.message).not.toContain(WORD);
    }
  });

  test('a changed value is sent by the next attempt, a removed one is SECRET_MISSING, and one that cannot be decrypted is reported', async () => {
    const secret = await keep('TURNED', `${WORD}-first`);
    const config = { headers: { 'x-note': '{{ secrets.TURNED }}' } };
    answer = () => 200;
    expect((await run(config)).status).toBe('completed');
    expect(receiver.requests.at(-1)?.headers['x-note']).toBe(`${WORD}-first`);
    const used = await calls.good<Secret>('GET', `/v1/secrets/${secret.id}`);
    expect(used.lastUsedAt).toBeDefined();

    await calls.good('PATCH', `/v1/secrets/${secret.id}`, { value: `${WORD}-second` });
    const workflowId = await calls.activate({ type: 'manual' }, [http(config)]);
    const again = async () => calls.ended((await calls.start(workflowId)).id);
    await again();
    expect(receiver.requests.at(-1)?.headers['x-note']).toBe(`${WORD}-second`);
    // Used within the same minute, it is not written again.
    expect((await calls.good<Secret>('GET', `/v1/secrets/${secret.id}`)).lastUsedAt).toBe(used.lastUsedAt);

    const requests = receiver.requests.length;
    const { pool } = posthorn.deps;
    const { rows } = await pool.query<{ ciphertext: string }>('SELECT ciphertext FROM secrets WHERE id = $1', [
      secret.id,
    ]);
    await pool.query(
      `UPDATE secrets SET ciphertext = 'v1.lost.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA' WHERE id = $1`,
      [secret.id],
    );
    expect((await again()).error?.code).toBe('SECRET_UNREADABLE');
    await pool.query('UPDATE secrets SET ciphertext = $2 WHERE id = $1', [secret.id, rows[0]?.ciphertext]);
    expect((await again()).status).toBe('completed');
    expect(receiver.requests).toHaveLength(requests + 1);

    await calls.good('DELETE', `/v1/secrets/${secret.id}`);
    expect((await again()).error).toMatchObject({
      code: 'SECRET_MISSING',
      message: 'the environment has no secret "TURNED"',
    });
    expect(receiver.requests).toHaveLength(requests + 1);
  });

  test('a name is unique in an environment and must be valid; a value is never shown', async () => {
    const made = await keep('ONCE', WORD);
    expect(Object.keys(made).toSorted()).toEqual(['createdAt', 'id', 'name', 'updatedAt']);
    const again = await posthorn.request<Refused>('POST', '/v1/secrets', { name: 'ONCE', value: 'other' });
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
    const elsewhere = { name: 'ONCE', value: 'other' };
    expect((await posthorn.request('POST', '/v1/secrets', elsewhere, { key: posthorn.keys.test })).status).toBe(201);
    for (const [field, body] of [
      ['name', { name: 'crm', value: 'v' }],
      ['name', { name: '7UP', value: 'v' }],
      ['name', { name: 'A'.repeat(65), value: 'v' }],
      ['value', { name: 'EMPTY', value: '' }],
      ['value', { name: 'LONG', value: 'ü'.repeat(4_097) }],
    ] as const) {
      const { status, body: refused } = await posthorn.request<Refused>('POST', '/v1/secrets', body);
      expect([status, refused.error.details?.field]).toEqual([400, field]);
    }
    await keep('LONGEST', 'ü'.repeat(4_096));
    const rename = await posthorn.request<Refused>('PATCH', `/v1/secrets/${made.id}`, { name: 'TWICE' });
    expect([rename.status, rename.body.error.details?.field]).toEqual([400, 'name']);
    const entries = await waitFor('its lines of the audit log', async () => {
      const { data } = await calls.good<{ data: { action: string; after?: unknown }[] }>(
        'GET',
        `/v1/audit?targetId=${made.id}`,
      );
      return data.length > 0 && data;
    });
    expect(entries).toMatchObject([{ action: 'secret.created', after: { name: 'ONCE' } }]);
    expect(JSON.stringify(entries)).not.toContain(WORD);
  });

  test('a definition names only secrets of its environment, and only where they may be inserted', async () => {
    await keep('KNOWN', 'known');
    await posthorn.request('POST', '/v1/secrets', { name: 'OTHERS', value: 'o' }, { key: posthorn.keys.test });
    const errorsOf = async (config: object) => {
      const { errors } = await calls.good<{ errors: { field: string; reason: string }[] }>(
        'POST',
        '/v1/workflows/validate',
        { name: 'asking', trigger: { type: 'manual' }, steps: [http(config)] },
      );
      return errors;
    };
    const at = 'steps[0].config';
    const unknown = (name: string) => `references unknown secret "${name}"`;
    const basic = { type: 'basic', username: '{{ secrets.KNOWN }}', password: '{{ secrets.OTHERS }}' };
    expect(await errorsOf({ headers: { a: '{{ secrets.KNOWN }}' } })).toEqual([]);
    expect(
      await errorsOf({
        headers: { a: 'Bearer {{ secrets.NONE }}' },
        query: { k: ['{{ secrets.known }}'] },
        auth: basic,
      }),
    ).toEqual([
      { field: `${at}.headers.a`, reason: unknown('NONE') },
      { field: `${at}.query.k[0]`, reason: unknown('known') },
      { field: `${at}.auth.password`, reason: unknown('OTHERS') },
    ]);
    const only =
      'secrets must only be used in headers, query and auth of an http action, and in secret parameters of connectors';
    expect(await errorsOf({ body: '{{ secrets.KNOWN }}', url: `${receiver.url}{{ secrets.KNOWN }}` })).toEqual([
      { field: `${at}.url`, reason: only },
      { field: `${at}.body`, reason: only },
    ]);
    const [joined] = await errorsOf({ headers: { a: '{{ secrets.KNOWN + "x" }}' } });
    expect(joined?.field).toBe(`${at}.headers.a`);
    const [double] = await errorsOf({ headers: { Authorization: 'x' }, auth: { type: 'bearer', token: 'x' } });
    expect(double).toEqual({ field: `${at}.auth`, reason: 'must be left out if there is an Authorization header' });
  });
});
