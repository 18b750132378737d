import clsx from 'clsx';
import { CircleHelp } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../button.tsx';
import { CodeFacts } from '../code/code-box.tsx';
import { CodeEditor } from '../code/code-editor.tsx';
import { CodeView } from '../code/code-view.tsx';
import type { CodeCompletion, Completions } from '../code/completion.ts';
import { DiffView } from '../code/diff-view.tsx';
import { Dialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';

const REQUEST =
  '{"type":"order.paid","timestamp":"2026-11-28T14:02:15.747Z","data":{"orderId":"SO-10922","total":561.90,"currency":"EUR","customer":{"id":"cus_1813","name":"Jonas Weber","vatId":null},"lines":[{"sku":"TS-44","qty":2,"price":19.90}],"shipping":{"country":"DE"}}}';
const RESPONSE =
  '{"error":"NullPointerException","at":"OrderMapper.java:118","message":"customer.vatId must not be null"}';
const LONG_LINES = JSON.stringify({
  note: 'The warehouse confirmed the pick at 14:02 and asked for a second signature, because the value of the parcel is above the limit of the carrier. '
    .repeat(3)
    .trim(),
  token: 'eyJhbGciOiJSUzI1NiJ9.'.repeat(14),
  nested: {
    deeper: {
      description:
        'A wrapped line continues below its own beginning, two characters further in, at each level of the document.',
    },
  },
});
const HTML = `<html>
  <head><title>502 Bad Gateway</title></head>
  <body>
    <center><h1>502 Bad Gateway</h1></center>
    <hr><center>nginx/1.27.3</center>
  </body>
</html>
`;
const WORKFLOW = `{
  "order": "{{ event.payload.orderId }}",
  "amount": "{{ event.payload.total }}",
  "approvedBy": "{{ steps.approve.output.by }}"
}`;
const DEFINITION = (isNew: boolean): string =>
  [
    '{',
    '  "name": "Fulfil large orders",',
    '  "trigger": {',
    '    "type": "event",',
    `    "config": { "channelId": "chn_01m8j5r4tae0096erj3anespnv", "filter": "payload.total > ${isNew ? 250 : 100}" }`,
    '  },',
    '  "steps": [',
    ...['is_eu', 'approve_large', 'create_invoice', 'notify_ops'].flatMap((id) => [
      '    {',
      `      "id": "${id}",`,
      ...(isNew && id === 'approve_large' ? ['      "timeout": "2d",'] : []),
      `      "type": "${id === 'is_eu' ? 'condition' : 'action'}"`,
      `    }${id === 'notify_ops' ? '' : ','}`,
    ]),
    ...(isNew ? [] : ['    {},']),
    '  ]',
    '}',
  ].join('\n');

const NAMES: readonly CodeCompletion[] = [
  { label: 'event.payload.orderId', detail: '"SO-10922"' },
  { label: 'event.payload.total', detail: '561.90' },
  { label: 'event.payload.currency', detail: '"EUR"' },
  { label: 'event.payload.customer.name', detail: '"Jonas Weber"' },
  { label: 'event.payload.shipping.country', detail: '"DE"' },
  { label: 'event.id', detail: 'string' },
  { label: 'steps.approve_large.output.by', detail: 'string' },
];
const ofTemplates: Completions = () => NAMES;
const ofFilters: Completions = () =>
  NAMES.slice(0, 5).map((name) => ({ ...name, label: name.label.replace('event.', '') }));

const large = (bytes: number): string =>
  `{"items":[${Array.from({ length: Math.floor(bytes / 53) }, (_, at) => `{"sku":"item-${10_000 + at}","qty":${(at % 7) + 1},"price":${at % 90}.50,"tags":[]}`).join(',')}]}`;

/** All states of the code components, with invented data. */
export function CodeStates() {
  const [big, manyLines, oneLine] = useMemo(
    () => [large(100_000), large(20_000), JSON.stringify({ blob: 'abcdefghij'.repeat(26_000) })],
    [],
  );
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-col gap-8">
      <Group title="Request and response">
        <CodeView
          label="Request"
          text={REQUEST}
          isMarked={(path) => path.endsWith('customer.vatId')}
          above={
            <CodeFacts
              facts={[
                ['content-type', 'application/json'],
                ['webhook-id', 'msg_01m8j5xrg3e009169axpw9vqwt'],
                ['webhook-timestamp', '1795906537'],
                [
                  'webhook-signature',
                  <span key="signature" className="text-text-3">
                    v1,•••••••• hidden
                  </span>,
                ],
                ['user-agent', 'Posthorn/0.9.0'],
              ]}
            />
          }
        />
        <CodeView
          label="Response"
          text={RESPONSE}
          above={
            <CodeFacts
              facts={[
                ['content-type', 'application/json'],
                ['server', 'erp-gateway'],
                ['retry-after', undefined],
              ]}
            />
          }
          below={
            <p className="flex items-center gap-1.75 px-3 py-2.25 text-12 text-text-2">
              <Icon of={CircleHelp} isSmall />
              Identical to attempts 1 to 3.
            </p>
          }
        />
      </Group>
      <Group title="Views">
        <CodeView label="Tree" text={REQUEST} view="tree" />
        <CodeView label="Raw" text={REQUEST} view="raw" />
      </Group>
      <Group title="Text, long lines">
        <CodeView label="Long lines" text={LONG_LINES} />
        <CodeView label="HTML" text={HTML} />
      </Group>
      <Group title="Empty, secret, without a head">
        <CodeView label="Empty response" text="" empty="The response had no body" />
        <div className="flex flex-col gap-4">
          <CodeView label="Signing secret" text="whsec_c2VjcmV0LW9mLW5vLW9uZS1hdC1hbGw" language="text" isSecret />
          <CodeView
            label="Command"
            isBare
            language="text"
            text={
              'curl https://posthorn.example/v1/channels/chn_1/messages \\\n  -H \'authorization: Bearer …\' \\\n  -d \'{"eventType":"order.paid"}\''
            }
          />
        </div>
      </Group>
      <Group title="100 KB, 20 KB, one line of 260 KB" isTop>
        <CodeView label="Payload" text={big} />
        <div className="flex flex-col gap-4">
          <CodeView label="Many lines" text={manyLines} />
          <CodeView label="One line" text={oneLine} view="pretty" />
        </div>
      </Group>
      <Group title="Editor">
        <Editors />
        <div className="flex flex-col gap-4">
          <Expressions />
          <div>
            <Button onClick={() => setIsOpen(true)}>Edit in a dialog</Button>
            {isOpen && (
              <Dialog
                title="Edit payload"
                size="wide"
                onClose={() => setIsOpen(false)}
                actions={<Button onClick={() => setIsOpen(false)}>Close</Button>}
              >
                <Editors />
              </Dialog>
            )}
          </div>
        </div>
      </Group>
      <Group title="Editor that fills its place">
        <div className="h-44 border border-line">
          <Page />
        </div>
      </Group>
      <Group title="Differences" isWide>
        <DiffView
          label="Definition"
          beforeLabel="Version 4"
          afterLabel="Version 5"
          before={DEFINITION(false)}
          after={DEFINITION(true)}
        />
        <DiffView
          label="Body"
          beforeLabel="Attempt 3"
          afterLabel="Attempt 4"
          look="unified"
          before={RESPONSE}
          after={RESPONSE}
        />
      </Group>
    </div>
  );
}

function Editors() {
  const [value, setValue] = useState(WORKFLOW);
  const isWrong = value.includes('steps.approve.');
  const from = value.indexOf('approve.');
  const problems = useMemo(
    () =>
      isWrong
        ? [
            {
              from,
              line: value.slice(0, from).split('\n').length,
              message: 'No step is called approve',
              fix: 'approve_large',
            },
          ]
        : [],
    [isWrong, from, value],
  );
  return (
    <CodeEditor
      label="Body"
      hint="Names between braces are replaced when the step runs."
      language="json"
      value={value}
      onChange={setValue}
      problems={problems}
      completions={ofTemplates}
      name="body"
    />
  );
}

function Page() {
  const [value, setValue] = useState(DEFINITION(true));
  return (
    <CodeEditor
      label="Definition"
      language="json"
      look="bare"
      height="fill"
      value={value}
      onChange={setValue}
      problems={[{ line: 5, message: 'The filter matches no message' }]}
    />
  );
}

function Expressions() {
  const [filter, setFilter] = useState('payload.total > 500 && payload.shiping.country == "DE"');
  const [text, setText] = useState('Approve {{ event.payload.total }} EUR for {{ event.payload.customer.name }}?');
  const [empty, setEmpty] = useState('');
  const from = filter.indexOf('shiping');
  const problems = useMemo(
    () => (from === -1 ? [] : [{ from, message: 'Unknown field shiping', fix: 'shipping' }]),
    [from],
  );
  return (
    <>
      <CodeEditor
        label="Filter"
        beside={<span className="text-12 text-text-3">optional, CEL</span>}
        language="cel"
        isSingleLine
        value={filter}
        onChange={setFilter}
        problems={problems}
        completions={ofFilters}
      />
      <CodeEditor
        label="Title"
        language="template"
        isSingleLine
        value={text}
        onChange={setText}
        completions={ofTemplates}
      />
      <CodeEditor
        label="Condition"
        hint="Runs the step only if this is true."
        language="cel"
        isSingleLine
        value={empty}
        onChange={setEmpty}
        placeholder="Always"
        completions={ofFilters}
      />
      <CodeEditor
        label="Read only"
        language="json"
        minLines={1}
        value={RESPONSE}
        onChange={() => undefined}
        isReadOnly
      />
    </>
  );
}

const Group = ({
  title,
  isWide = false,
  isTop = false,
  children,
}: {
  title: string;
  isWide?: boolean;
  isTop?: boolean;
  children: ReactNode;
}) => (
  <section>
    <h2 className="mb-2.5 text-13">{title}</h2>
    <div
      className={clsx('gap-4', isWide ? 'flex flex-col' : 'grid lg:grid-cols-2 [&>*]:min-w-0', isTop && 'items-start')}
    >
      {children}
    </div>
  </section>
);
