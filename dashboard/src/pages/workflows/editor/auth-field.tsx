import { parsed } from '../../../lib/definition-edit.ts';
import { problemsAt } from '../../../lib/definition-problems.ts';
import { jsonTree, valueText, withValue } from '../../../lib/json-edit.ts';
import { SelectField } from '../../../ui/select.tsx';
import { WrittenField, type WrittenGiven } from './written-field.tsx';

/** The Authorization header of a request: none, a token, or a user name with a password. */
export function AuthField({
  raw,
  onChange,
  field,
  problems,
  ...more
}: Pick<WrittenGiven, 'raw' | 'onChange' | 'field' | 'problems' | 'stepIds' | 'completions' | 'isReadOnly'>) {
  const value = parsed(raw);
  const type: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : undefined;
  const isKnown = raw === undefined || type === 'bearer' || type === 'basic';
  if (!isKnown)
    return (
      <WrittenField
        label="Authentication"
        kind="json"
        raw={raw}
        onChange={onChange}
        field={field}
        problems={problems}
        {...more}
      />
    );
  const members =
    type === 'bearer' ? (['token'] as const) : type === 'basic' ? (['username', 'password'] as const) : [];
  const own = problems.filter((each) => !members.some((name) => problemsAt([each], `${field}.${name}`).length > 0));
  return (
    <>
      <SelectField
        label="Authentication"
        isDisabled={more.isReadOnly}
        {...(own[0] !== undefined && { error: own[0].reason })}
        value={typeof type === 'string' ? type : ''}
        options={[
          { value: '', label: 'None' },
          { value: 'bearer', label: 'Bearer token' },
          { value: 'basic', label: 'Basic' },
        ]}
        onChange={(next) =>
          onChange(
            next === ''
              ? undefined
              : next === 'bearer'
                ? '{ "type": "bearer", "token": "" }'
                : '{ "type": "basic", "username": "", "password": "" }',
          )
        }
      />
      {members.map((name) => (
        <WrittenField
          key={name}
          label={{ token: 'Token', username: 'Username', password: 'Password' }[name]}
          kind="template"
          placeholder={name === 'username' ? 'api' : '{{ secrets.CRM_TOKEN }}'}
          raw={valueText(raw ?? '', jsonTree(raw ?? ''), [name])}
          onChange={(next) => onChange(withValue(raw ?? '{}', [name], next ?? '""'))}
          field={`${field}.${name}`}
          problems={problemsAt(problems, `${field}.${name}`)}
          isKept
          {...more}
        />
      ))}
    </>
  );
}
