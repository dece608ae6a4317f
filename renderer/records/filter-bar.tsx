// The filters of the records list: a search by id or amount, and a chip for each active filter. The chip shows the filter, and
// can change or remove it.

import { Button, CloseButton, Group, Kbd, Menu, Popover, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { DELIVERY_STATES, INTERFACES, MAX_EXTERNAL_ID, STATUSES } from '../../server/contract/codes.ts';
import type { JournalView } from '../../server/contract/setup.ts';
import { lanesQuery, tillsQuery } from '../api/queries.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { DeliveryMark, StatusMark } from '../components/record-marks.tsx';
import { isLaneShown } from '../model/lanes.ts';
import { isAmount, isInOrderOfId, kindOf, searchFor, searchIn, SEARCH_KINDS } from '../model/search-kind.ts';
import { DayFilter } from './day-filter.tsx';
import { ChipButton, type FilterProps, MenuChip, NO_FILTER, RemovableChip } from './filter-chip.tsx';
import { followAddress, type IdInput } from './id-input.ts';

import classes from './records.module.css';

export function FilterBar({
  filter,
  change,
  journal,
  types,
}: FilterProps & {
  readonly journal: JournalView;
  /** The record types that the user can choose. */
  readonly types: readonly string[];
}) {
  const { t } = useTranslation('records');
  const { t: statuses } = useTranslation('status');
  const { t: deliveries } = useTranslation('delivery');
  const { interface: by, status, delivery, type, till, from, to, order } = filter;
  const chosen = [by, status, delivery, type, till, from ?? to, order].filter((each) => each !== undefined).length;
  return (
    <div role="group" aria-label={t('filters')} className={classes.filters}>
      <SearchKindChip filter={filter} change={change} />
      <DayFilter filter={filter} change={change} store={journal} />
      <MenuChip
        name={t('status')}
        value={filter.status && statuses(filter.status)}
        onRemove={() => change({ status: undefined })}
      >
        {STATUSES.map((status) => (
          <Menu.Item key={status} onClick={() => change({ status })}>
            <StatusMark status={status} withCode />
          </Menu.Item>
        ))}
      </MenuChip>
      <MenuChip
        name={t('delivery')}
        value={filter.delivery && deliveries(filter.delivery)}
        onRemove={() => change({ delivery: undefined })}
      >
        {DELIVERY_STATES.map((state) => (
          <Menu.Item key={state} onClick={() => change({ delivery: state })}>
            <DeliveryMark delivery={{ state, upstreamStatus: null }} />
          </Menu.Item>
        ))}
      </MenuChip>
      <TypeFilter filter={filter} change={change} types={types} />
      <TillFilter filter={filter} change={change} journalId={journal.id} />
      <InterfaceFilter filter={filter} change={change} journalId={journal.id} />
      {!isInOrderOfId(filter) && (
        <MenuChip
          name={t('order')}
          value={filter.order === 'oldest' ? t('oldestFirst') : undefined}
          onRemove={() => change({ order: undefined })}
        >
          <Menu.Item onClick={() => change({ order: undefined })}>{t('newestFirst')}</Menu.Item>
          <Menu.Item onClick={() => change({ order: 'oldest' })}>{t('oldestFirst')}</Menu.Item>
        </MenuChip>
      )}
      {chosen > 1 && (
        <Button variant="subtle" size="sm" px="xs" onClick={() => change(NO_FILTER)}>
          {t('removeAllShort')}
        </Button>
      )}
    </div>
  );
}

const DEBOUNCE_MS = 200;

/** Keeps the text field and the address equal. The address changes when typing pauses. */
export function RecordSearchField({
  filter,
  change,
  inputRef,
  onLeave,
}: FilterProps & {
  readonly inputRef: RefObject<HTMLInputElement | null>;
  /** Called when a key moves the focus from the field to the list. */
  readonly onLeave: () => void;
}) {
  const { t } = useTranslation('records');
  const search = searchIn(filter);
  const kind = search?.kind;
  const inAddress = search?.text ?? '';
  const [typed, setTyped] = useState<IdInput>({ text: inAddress, inAddress, sent: [] });
  if (typed.inAddress !== inAddress) setTyped(followAddress(typed, inAddress));
  const { text } = typed;
  const setText = (next: string): void => setTyped((before) => ({ ...before, text: next }));
  const wanted = text.trim();
  useEffect(() => {
    if (wanted === inAddress) return;
    const timer = setTimeout(() => {
      setTyped((before) => ({ ...before, sent: [...before.sent, wanted] }));
      change(searchFor(wanted, kindOf(wanted, kind)));
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted, inAddress, kind, change]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && text !== '') setText('');
    else if (['Escape', 'Enter', 'ArrowDown'].includes(event.key)) onLeave();
    else return;
    event.preventDefault();
  };
  return (
    <TextInput
      ref={inputRef}
      size="sm"
      className={classes.search ?? ''}
      classNames={{ input: classes.id ?? '' }}
      aria-label={t('search')}
      placeholder={t('searchShort')}
      title={t('search')}
      leftSection={<Search size={16} aria-hidden />}
      rightSection={
        text === '' ? (
          <Kbd size="xs" visibleFrom="sm" aria-hidden>
            /
          </Kbd>
        ) : (
          <CloseButton size="sm" aria-label={t('clearSearch')} onClick={() => setText('')} />
        )
      }
      maxLength={2 * MAX_EXTERNAL_ID}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

/** Shows whether the search looks for ids or amounts, and lets the user change it. Appears only during a search. */
function SearchKindChip({ filter, change }: FilterProps) {
  const { t } = useTranslation('records');
  const search = searchIn(filter);
  if (search === undefined) return null;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ChipButton name={t('searchIn')} value={t(`in_${search.kind}`)} />
      </Menu.Target>
      <Menu.Dropdown>
        {SEARCH_KINDS.filter((kind) => kind !== 'amount' || isAmount(search.text)).map((kind) => (
          <Menu.Item key={kind} onClick={() => change(searchFor(search.text, kind))}>
            {t(`in_${kind}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function TypeFilter({ filter, change, types }: FilterProps & { readonly types: readonly string[] }) {
  const { t } = useTranslation('records');
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const choose = (type: string): void => {
    if (type === '') return;
    change({ type });
    setOpen(false);
    setTyped('');
  };
  return (
    <RemovableChip name={t('type')} value={filter.type} onRemove={() => change({ type: undefined })}>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus shadow="md">
        <Popover.Target>
          <ChipButton name={t('type')} value={filter.type} onClick={() => setOpen(!isOpen)} />
        </Popover.Target>
        <Popover.Dropdown p="xs">
          <Stack gap={4}>
            {types.map((type) => (
              <Button
                key={type}
                variant="subtle"
                color="gray"
                c="var(--mantine-color-text)"
                size="sm"
                px="xs"
                fw={400}
                justify="flex-start"
                onClick={() => choose(type)}
              >
                <ForeignText>{type}</ForeignText>
              </Button>
            ))}
            <form
              onSubmit={(event) => {
                event.preventDefault();
                choose(typed);
              }}
            >
              <Group gap="xs" align="flex-end" wrap="nowrap">
                <TextInput
                  label={t('otherType')}
                  maxLength={255}
                  size="sm"
                  value={typed}
                  onChange={(event) => setTyped(event.currentTarget.value)}
                  data-autofocus
                />
                <Button type="submit" size="sm" disabled={typed === ''}>
                  {t('show')}
                </Button>
              </Group>
            </form>
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </RemovableChip>
  );
}

/** Filters by interface. Shown only if tills also use the earlier interface. */
function InterfaceFilter({ filter, change, journalId }: FilterProps & { readonly journalId: number }) {
  const { t } = useTranslation('records');
  const { data: lanes = [] } = useQuery(lanesQuery(journalId));
  const { interface: by } = filter;
  if (by === undefined && lanes.filter(isLaneShown).length < 2) return null;
  return (
    <MenuChip name={t('interface')} value={by && t(by)} onRemove={() => change({ interface: undefined })}>
      {INTERFACES.map((each) => (
        <Menu.Item key={each} onClick={() => change({ interface: each })}>
          {t(each)}
        </Menu.Item>
      ))}
    </MenuChip>
  );
}

function TillFilter({ filter, change, journalId }: FilterProps & { readonly journalId: number }) {
  const { t } = useTranslation('records');
  const { data: tills = [] } = useQuery(tillsQuery(journalId));
  const { till } = filter;
  const label = tills.find(({ id }) => id === till)?.label;
  return (
    <MenuChip
      name={t('till')}
      value={till === undefined ? undefined : (label ?? t('unknownTill', { id: till }))}
      onRemove={() => change({ till: undefined })}
    >
      {tills.length === 0 && <Menu.Label>{t('noTills')}</Menu.Label>}
      {tills.map((each) => (
        <Menu.Item key={each.id} onClick={() => change({ till: each.id })}>
          <ForeignText>{each.label}</ForeignText>
        </Menu.Item>
      ))}
    </MenuChip>
  );
}
