// The settings of a store: its day, its upstream, and the earlier interface.

import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';

import { MAX_NAME_LENGTH, STATUSES } from '../../server/contract/codes.ts';
import type { AdministrationView } from '../../server/contract/setup.ts';
import type { ErrorIn } from '../components/saved-form.tsx';
import type { Setting } from '../components/setting-row.tsx';
import { TimeZoneSelect } from '../components/time-zone-select.tsx';
import { DAY_STARTS } from '../lib/time-of-day.ts';
import { formatResources, parseItems, parseResources } from './item-list.ts';
import { SavedSetting } from './setting.tsx';

export type Words = TFunction<'settings'>;

interface About {
  readonly administration: AdministrationView;
  readonly isManager: boolean;
  readonly t: Words;
}

export function storeSettings({ administration, isManager, t }: About): readonly Setting[] {
  const { name, timeZone, dayStartsAt } = administration;
  return [
    {
      id: 'name',
      title: t('name'),
      help: t('nameHelp'),
      control: (
        <SavedSetting
          administration={administration}
          field="name"
          value={name}
          inputOf={(draft) => ({ name: draft })}
          edit={(draft, change, faultIn) => (
            <TextInput
              aria-label={t('name')}
              value={draft}
              maxLength={MAX_NAME_LENGTH}
              onChange={(event) => change(event.currentTarget.value)}
              error={faultIn()}
              readOnly={!isManager}
            />
          )}
        />
      ),
    },
    {
      id: 'timeZone',
      title: t('timeZone'),
      help: t('timeZoneHelp'),
      control: (
        <SavedSetting
          administration={administration}
          field="timeZone"
          value={timeZone}
          inputOf={(draft) => ({ timeZone: draft })}
          edit={(draft, change, faultIn) => (
            <TimeZoneSelect
              value={draft}
              onChange={change}
              label={t('timeZone')}
              isLabelShown={false}
              error={faultIn()}
              readOnly={!isManager}
            />
          )}
        />
      ),
    },
    {
      id: 'dayStartsAt',
      title: t('dayStartsAt'),
      help: t('dayStartsAtHelp'),
      control: (
        <SavedSetting
          administration={administration}
          field="dayStartsAt"
          value={String(dayStartsAt)}
          inputOf={(draft) => ({ dayStartsAt: Number(draft) })}
          edit={(draft, change, faultIn) => (
            <Select
              aria-label={t('dayStartsAt')}
              data={DAY_STARTS}
              value={draft}
              onChange={(minutes) => minutes !== null && change(minutes)}
              searchable
              allowDeselect={false}
              error={faultIn()}
              readOnly={!isManager}
              maw={160}
            />
          )}
        />
      ),
    },
  ];
}

export function forwardingSettings({ administration, isManager, t }: About): readonly Setting[] {
  const { forwarded, othersSend } = administration;
  return [
    {
      id: 'forwarded',
      title: t('forwarded'),
      help: t('forwardedHelp'),
      alsoCalled: STATUSES.join(' '),
      control: (
        <SavedSetting
          administration={administration}
          field="forwarded"
          value={[...forwarded] as string[]}
          inputOf={(draft) => ({ forwarded: STATUSES.filter((status) => draft.includes(status)) })}
          edit={(draft, change, faultIn) => (
            <Checkbox.Group value={draft} onChange={change} error={faultIn()} aria-label={t('forwarded')}>
              <Stack gap="md">
                {STATUSES.map((status) => (
                  <Checkbox
                    key={status}
                    value={status}
                    label={
                      <>
                        {t(status)}{' '}
                        <Text span size="xs" c="dimmed">
                          {status}
                        </Text>
                      </>
                    }
                    description={t(`${status}_means`)}
                    disabled={status === 'NEW' || !isManager}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
        />
      ),
    },
    {
      id: 'othersSend',
      title: t('othersSend'),
      help: t('othersSendHelp'),
      control: (
        <SavedSetting
          administration={administration}
          field="othersSend"
          value={othersSend}
          inputOf={(draft) => ({ othersSend: draft })}
          edit={(draft, change, faultIn) => (
            <Checkbox
              label={t('othersSendDo')}
              checked={draft}
              onChange={(event) => change(event.currentTarget.checked)}
              error={faultIn()}
              disabled={!isManager}
            />
          )}
        />
      ),
    },
  ];
}

export function earlierSettings({
  administration,
  isManager,
  t,
  baseDomain,
}: About & { readonly baseDomain: string }): readonly Setting[] {
  const { customer, versions, resources } = administration;
  const listEdit = (label: string, form: string) =>
    function ListEdit(draft: string, change: (draft: string) => void, faultIn: ErrorIn) {
      return (
        <TextInput
          aria-label={label}
          description={form}
          value={draft}
          onChange={(event) => change(event.currentTarget.value)}
          spellCheck={false}
          error={faultIn()}
          readOnly={!isManager}
        />
      );
    };
  return [
    {
      id: 'customer',
      title: t('customer'),
      help: t('customerHelp'),
      control: (
        <SavedSetting
          administration={administration}
          field="customer"
          value={customer ?? { name: '', id: '' }}
          inputOf={({ name, id }) => {
            if ((name.trim() === '') !== (id.trim() === '')) return t('customerBoth');
            return { customer: name.trim() === '' ? null : { name: name.trim(), id: id.trim() } };
          }}
          edit={(draft, change, faultIn) => (
            <>
              <TextInput
                label={t('customerName')}
                value={draft.name}
                onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
                spellCheck={false}
                error={faultIn('name')}
                readOnly={!isManager}
              />
              <TextInput
                label={t('customerId')}
                value={draft.id}
                onChange={(event) => change({ ...draft, id: event.currentTarget.value })}
                spellCheck={false}
                error={faultIn('id') ?? (faultIn('name') === undefined && faultIn())}
                readOnly={!isManager}
              />
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {draft.name === '' || draft.id === ''
                  ? t('noCustomer')
                  : t('customerAddress', { address: addressOf(draft, baseDomain) })}
              </Text>
            </>
          )}
        />
      ),
    },
    {
      id: 'versions',
      title: t('versions'),
      help: t('versionsHelp'),
      control: (
        <SavedSetting
          administration={administration}
          field="versions"
          value={versions.join(', ')}
          inputOf={(draft) => ({ versions: parseItems(draft) })}
          edit={listEdit(t('versions'), t('withCommas'))}
        />
      ),
    },
    {
      id: 'resources',
      title: t('resources'),
      help: t('resourcesHelp'),
      control: (
        <SavedSetting
          administration={administration}
          field="resources"
          value={formatResources(resources)}
          inputOf={(draft) => ({ resources: parseResources(draft) })}
          edit={listEdit(t('resources'), t('resourcesForm'))}
        />
      ),
    },
  ];
}

function addressOf({ name, id }: { readonly name: string; readonly id: string }, baseDomain: string): string {
  const path = `/c/${name}/${id}`;
  return baseDomain === '' ? path : `${name}.${id}.${baseDomain}, ${path}`;
}
