import { Archive, Download, Mail, Pause, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { CodeBadge, CountTag, EnvironmentPill, TypeTag } from '../badge.tsx';
import { Button, IconButton } from '../button.tsx';
import { Callout, Note } from '../callout.tsx';
import { CopyId } from '../copy.tsx';
import { Dialog, DialogButtons } from '../dialog.tsx';
import { Empty } from '../empty.tsx';
import { Checkbox, Switch, TextArea, TextField } from '../field.tsx';
import { FigureStrip, Sparkline } from '../figures.tsx';
import { Kbd } from '../kbd.tsx';
import { Box, Facts, Fold, Section } from '../layout.tsx';
import { Menu, MoreMenu } from '../menu.tsx';
import { Popover } from '../popover.tsx';
import { SelectField } from '../select.tsx';
import { SkeletonRows } from '../skeleton.tsx';
import { Status, StatusBadge, TONES } from '../status.tsx';
import { Table } from '../table.tsx';
import { Segmented, Tabs } from '../tabs.tsx';
import { toast } from '../toast.tsx';
import { ChartStates } from './charts.tsx';
import { CodeStates } from './code.tsx';

/** Every component of the library in all its states, to check them in both themes. Available only in development. */
export function Gallery() {
  return (
    <main className="mx-auto flex max-w-362 flex-col gap-7 p-6">
      <h1 className="text-20">Components</h1>
      <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
        <Buttons />
        <States />
        <Fields />
        <Overlays />
        <Groups />
        <Nothing />
      </div>
      <ChartStates />
      <CodeStates />
    </main>
  );
}

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <Box className="p-4">
    <Section title={title}>
      <div className="flex flex-col gap-3">{children}</div>
    </Section>
  </Box>
);

const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-2">{children}</div>
);

function Buttons() {
  return (
    <Card title="Buttons">
      <Row>
        <Button look="primary" icon={RotateCw} keys="R">
          Retry now
        </Button>
        <Button icon={Download}>Export</Button>
        <Button look="quiet">Edit</Button>
      </Row>
      <Row>
        <Button look="danger" icon={Trash2}>
          Delete channel
        </Button>
        <Button look="danger-fill">Delete channel</Button>
        <IconButton icon={Pause} label="Pause" />
      </Row>
      <Row>
        <Button isDisabled why="You need the Developer role">
          Disabled
        </Button>
        <Button look="primary" isBusy>
          Saving
        </Button>
        <Button size="small">Small</Button>
        <Kbd>⌘K</Kbd>
      </Row>
    </Card>
  );
}

function States() {
  return (
    <Card title="Status">
      <Row>
        {TONES.map((tone) => (
          <Status key={tone} tone={tone}>
            {tone}
          </Status>
        ))}
      </Row>
      <Row>
        {TONES.map((tone) => (
          <StatusBadge key={tone} tone={tone}>
            {tone}
          </StatusBadge>
        ))}
      </Row>
      <Row>
        <CodeBadge code={200} />
        <CodeBadge code={429} />
        <CodeBadge code={503} />
        <CodeBadge>timeout</CodeBadge>
        <TypeTag>order.paid</TypeTag>
        <CountTag>12</CountTag>
        <CountTag isBad>334</CountTag>
        <EnvironmentPill environment="live" />
        <EnvironmentPill environment="test" />
        <CopyId id="dlv_01m8j5xrg3e009169axnk0syf" isNamed />
      </Row>
      <Callout
        tone="failed"
        title="All 4 attempts returned 500."
        actions={<Button size="small">Open dead letter</Button>}
      >
        It is a dead letter now.
      </Callout>
    </Card>
  );
}

function Fields() {
  const [text, setText] = useState('ERP connector');
  const [choice, setChoice] = useState('seconds');
  const [isOn, setIsOn] = useState(true);
  return (
    <Card title="Fields">
      <TextField label="Name" value={text} onChange={setText} hint="Shown in lists" />
      <TextField label="Slug" value="Store front" onChange={setText} error="Use a–z, 0–9 and hyphens" />
      <TextField label="Rate limit" value="" onChange={setText} placeholder="No limit" after="per second" />
      <TextArea label="Description" value="" onChange={setText} rows={2} />
      <SelectField
        label="Unit"
        value={choice}
        onChange={setChoice}
        options={['milliseconds', 'seconds', 'minutes'].map((value) => ({ value, label: value }))}
      />
      <Row>
        <Checkbox label="On" isOn={isOn} onChange={setIsOn} />
        <Checkbox label="Some" isOn={false} isSome onChange={setIsOn} />
        <Switch label="Circuit breaker" isOn={isOn} onChange={setIsOn} />
      </Row>
    </Card>
  );
}

function Overlays() {
  const [isOpen, setIsOpen] = useState(false);
  const items = [
    { items: [{ label: 'Edit' }, { label: 'Copy ID', keys: '⌘C' }] },
    { items: [{ label: 'Delete…', icon: Trash2, isDanger: true }] },
  ];
  return (
    <Card title="Menu, popover, dialog, toast">
      <Row>
        <Menu trigger={<Button>Menu</Button>} groups={items} />
        <MoreMenu groups={items} />
        <Popover trigger={<Button>Popover</Button>} title="Response">
          A small window at a button.
        </Popover>
        <Button onClick={() => setIsOpen(true)}>Dialog</Button>
        <Button onClick={() => toast('Subscription paused')}>Toast</Button>
        <Button onClick={() => toast("Couldn't save the channel", { kind: 'bad' })}>Failure</Button>
      </Row>
      <Note kind="error">Couldn't refresh</Note>
      <Note kind="warning">You are in Live</Note>
      {isOpen && (
        <Dialog
          title="Replay 300 dead letters?"
          environment="live"
          description="ERP connector receives these messages again, oldest first."
          onClose={() => setIsOpen(false)}
          onSubmit={() => setIsOpen(false)}
          actions={<DialogButtons go="Replay 300" onCancel={() => setIsOpen(false)} />}
        >
          <TextField label="Rate limit" value="20" onChange={() => undefined} after="per second" />
        </Dialog>
      )}
    </Card>
  );
}

function Groups() {
  const [tab, setTab] = useState('one');
  const options = [
    { value: 'one', label: 'Response' },
    { value: 'two', label: 'Request' },
  ];
  return (
    <Card title="Tabs, figures, facts">
      <Tabs label="Parts" tabs={options.map((each) => ({ ...each, count: 3 }))} value={tab} onChange={setTab}>
        <Facts
          facts={[
            ['Created', '12 s ago'],
            ['Retry policy', '4 attempts over about 8 s'],
          ]}
        />
      </Tabs>
      <Segmented label="View" options={options} value={tab} onChange={setTab} />
      <FigureStrip
        label="Figures"
        figures={[
          { label: 'Success rate', value: '97.1', unit: '%', delta: { text: '−2.7 pts', look: 'bad' } },
          { label: 'Accepted', value: '14,208', below: <Sparkline values={[3, 5, 4, 6, 5, 8]} /> },
        ]}
      />
      <Fold title="Advanced">More of it.</Fold>
    </Card>
  );
}

function Nothing() {
  return (
    <Card title="Table, loading, nothing">
      <Table
        label="Rows"
        rows={['ERP connector', 'BI replica']}
        keyOf={(row) => row}
        columns={[
          { head: 'Subscription', cell: (row) => row },
          { head: 'Attempts', isNumber: true, cell: () => '4,116' },
        ]}
      />
      <SkeletonRows rows={2} />
      <Empty icon={Mail} title="No messages yet" actions={<Button look="primary">Publish message</Button>}>
        Publish one from your app with the API, or from here.
      </Empty>
      <Empty icon={Archive} title="No dead letters" />
    </Card>
  );
}
