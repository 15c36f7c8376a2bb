import { Box, Flex, NativeSelect, Text } from '@chakra-ui/react';
import { type AuditAction, auditActionNames } from '@lightbox/contract/audit/actions.js';
import { auditStatuses } from '@lightbox/contract/audit/calls.js';
import { auditGroups } from '@lightbox/contract/audit/groups.js';
import { CalendarBlankIcon, CheckCircleIcon, FunnelIcon, type Icon, SquaresFourIcon } from '@phosphor-icons/react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type AreaOf, areaOf, keyOf } from '../lib/names';
import { DayInput } from '../ui/DayInput';
import { spanIn, spans } from './since';

interface PickProps {
  label: string;
  Icon: Icon;
  width: string;
  value: string;
  onPick: (value: string) => void;
  children: ReactNode;
}

/** Half the width of a phone minus half the gap. In rem, because the gap grows with the font size. */
const half = 'calc(50% - .3125rem)';

const Pick = ({ label, Icon: Mark, width, value, onPick, children }: PickProps) => (
  <NativeSelect.Root w={{ base: half, sm: width }} size="sm">
    <Box position="absolute" insetStart="3" top="0" h="full" display="grid" placeItems="center" zIndex="1">
      <Mark size={18} aria-hidden />
    </Box>
    <NativeSelect.Field
      h="control"
      ps="9"
      fontWeight="medium"
      aria-label={label}
      value={value}
      onChange={(event) => onPick(event.target.value)}
    >
      {children}
    </NativeSelect.Field>
    <NativeSelect.Indicator />
  </NativeSelect.Root>
);

/** `all`: every entry, reads of lists too. Without a group the log leaves these out. */
const groups = [...auditGroups, 'all'] as const;
export const groupIn = (params: URLSearchParams) => groups.find((group) => group === params.get('group'));

/** The options of the action filter, by area. */
const areas = new Map<AreaOf<AuditAction>, AuditAction[]>();
for (const action of auditActionNames) areas.set(areaOf(action), [...(areas.get(areaOf(action)) ?? []), action]);

function ActionPick({ value, onPick }: { value: string; onPick: (value: string) => void }) {
  const { t } = useTranslation();
  return (
    <Pick label={t('audit.actionFilter')} Icon={FunnelIcon} width="12.5rem" value={value} onPick={onPick}>
      <option value="">{t('audit.anyAction')}</option>
      {[...areas].map(([area, actions]) => (
        <optgroup key={area} label={t(`audit.area.${area}`, { defaultValue: area })}>
          {actions.map((action) => (
            <option key={action} value={action}>
              {t(`audit.action.${keyOf(action)}`)}
            </option>
          ))}
        </optgroup>
      ))}
    </Pick>
  );
}

function Day({ label, value, onPick }: { label: string; value: string; onPick: (day: string) => void }) {
  const id = useId();
  return (
    <Flex align="center" gap={{ base: '1', sm: '2' }} flex={{ base: '1', sm: 'none' }} minW="0" wrap="wrap">
      <Text asChild fontSize="sm" color="fg.muted">
        <label htmlFor={id}>{label}</label>
      </Text>
      <DayInput
        id={id}
        dir="ltr"
        w={{ base: 'full', sm: '10rem' }}
        h="control"
        bg="bg.surface"
        day={value}
        onPick={onPick}
      />
    </Flex>
  );
}

interface Props {
  /** The filter for the person who acted. */
  person: ReactNode;
  params: URLSearchParams;
  filter: (change: Record<string, string>) => void;
}

/** The filters of the log: person, time, action and outcome. */
export function Filters({ person, params, filter }: Props) {
  const { t } = useTranslation();
  const span = spanIn(params);
  return (
    <>
      {person}
      <Pick
        label={t('audit.spanFilter')}
        Icon={CalendarBlankIcon}
        width="10.625rem"
        value={span ?? ''}
        onPick={(since) => filter({ since, from: '', to: '' })}
      >
        <option value="">{t('audit.span.any')}</option>
        {spans.map((name) => (
          <option key={name} value={name}>
            {t(`audit.span.${name}`)}
          </option>
        ))}
      </Pick>
      <Pick
        label={t('audit.groupFilter')}
        Icon={SquaresFourIcon}
        width="11.875rem"
        value={groupIn(params) ?? ''}
        onPick={(group) => filter({ group })}
      >
        <option value="">{t('audit.group.usual')}</option>
        {groups.map((group) => (
          <option key={group} value={group}>
            {t(`audit.group.${group}`)}
          </option>
        ))}
      </Pick>
      <ActionPick
        value={auditActionNames.find((one) => one === params.get('action')) ?? ''}
        onPick={(action) => filter({ action })}
      />
      <Pick
        label={t('audit.statusFilter')}
        Icon={CheckCircleIcon}
        width="10rem"
        value={auditStatuses.find((one) => one === params.get('status')) ?? ''}
        onPick={(status) => filter({ status })}
      >
        <option value="">{t('audit.anyStatus')}</option>
        {auditStatuses.map((name) => (
          <option key={name} value={name}>
            {t(`audit.status.${name}`)}
          </option>
        ))}
      </Pick>
      {span === 'days' && (
        <Flex gap="2.5" w={{ base: 'full', sm: 'auto' }}>
          <Day label={t('audit.from')} value={params.get('from') ?? ''} onPick={(from) => filter({ from })} />
          <Day label={t('audit.to')} value={params.get('to') ?? ''} onPick={(to) => filter({ to })} />
        </Flex>
      )}
    </>
  );
}
