// The path of a record as a drawing: tills, gateway, line, upstream. The broken part is highlighted. Screen readers get the
// path in words.

import { Text } from '@mantine/core';
import { Cable, CloudUpload, HardDrive, ShoppingBasket, X } from 'lucide-react';
import { type ComponentType, Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { StateMark } from '../components/state-mark.tsx';
import type { PieceName, Path } from './lane-state.ts';

import classes from './path-diagram.module.css';

const ICONS: Record<PieceName, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>> = {
  tills: ShoppingBasket,
  here: HardDrive,
  line: Cable,
  upstream: CloudUpload,
};

export function PathDiagram({ way: { pieces, broken } }: { readonly way: Path }) {
  const { t } = useTranslation('upstream');
  const brokenAt = pieces.findIndex(({ name }) => name === broken);
  const description = pieces.map(({ name, word }) => t('pieceIs', { piece: t(name), state: t(word) })).join('; ');
  const where = broken === undefined ? t('nothingBroken') : t('brokenAt', { piece: t(broken) });
  return (
    <div className={classes.way} role="img" aria-label={`${t('wayOf')} ${description}. ${where}`}>
      {pieces.map(({ name, tone, word }, index) => {
        const Icon = ICONS[name];
        const isReached = brokenAt === -1 || index <= brokenAt;
        return (
          <Fragment key={name}>
            {index > 0 && (
              <span className={classes.step} data-passes={(isReached && index !== brokenAt) || undefined} />
            )}
            <span className={classes.piece} data-reached={isReached || undefined}>
              <span className={classes.node} style={{ borderColor: `var(--cf-${tone})`, color: `var(--cf-${tone})` }}>
                <Icon size={22} aria-hidden />
                {index === brokenAt && (
                  <span className={classes.break} style={{ background: `var(--cf-${tone})` }}>
                    <X size={14} strokeWidth={3} aria-hidden />
                  </span>
                )}
              </span>
              <Text span fw={600}>
                {t(name)}
              </Text>
              <StateMark tone={tone}>{t(word)}</StateMark>
            </span>
          </Fragment>
        );
      })}
    </div>
  );
}
