// The form for a rule that a manager enters or changes, instead of confirming a proposal.

import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { AMOUNT_SIGNS, type AmountRule } from '../../server/contract/amounts.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { useSaveRule } from './use-save-rule.ts';

/** A form for a new rule. If `rule` is given, the form changes that rule, and the record type is fixed. */
export function RuleForm({ rule, onDone }: { readonly rule: AmountRule | undefined; readonly onDone: () => void }) {
  const save = useSaveRule();
  const { t } = useTranslation(['amounts', 'app']);
  const [type, setType] = useState(rule?.type ?? '');
  const [fields, setFields] = useState({
    total: rule?.total ?? '',
    currency: rule?.currency ?? '',
    payment: rule?.payment ?? '',
  });
  const [sign, setSign] = useState(rule?.sign ?? 'as sent');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { total, currency, payment } = fields;
    const wanted = { total: total.trim(), currency: currency.trim() || null, payment: payment.trim() || null, sign };
    save.mutate({ type: type.trim(), rule: wanted }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {rule === undefined && (
          <TextInput
            label={t('typeOf')}
            required
            maxLength={100}
            value={type}
            onChange={(event) => setType(event.currentTarget.value)}
          />
        )}
        {(['total', 'currency', 'payment'] as const).map((name) => (
          <TextInput
            key={name}
            label={t(name)}
            description={t(`${name}Help`)}
            required={name === 'total'}
            maxLength={500}
            spellCheck={false}
            value={fields[name]}
            onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
            error={fieldErrorOf(save.error, `rule/${name}`)}
          />
        ))}
        <Radio.Group
          label={t('sign')}
          value={sign}
          onChange={(value) => setSign(AMOUNT_SIGNS.find((each) => each === value) ?? 'as sent')}
        >
          <Stack gap={6} mt={4}>
            <Radio value="as sent" label={t('asSent')} />
            <Radio value="negative" label={t('negative')} />
          </Stack>
        </Radio.Group>
        <ErrorAlert error={save.error} fields={['rule/total', 'rule/currency', 'rule/payment']} />
        <Group gap="xs">
          <Button type="submit" size="sm" loading={save.isPending}>
            {t('app:save')}
          </Button>
          <Button variant="default" size="sm" onClick={onDone}>
            {t('app:cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
