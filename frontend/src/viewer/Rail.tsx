import { Box, Flex } from '@chakra-ui/react';
import {
  AngleIcon,
  ArrowClockwiseIcon,
  ArrowCounterClockwiseIcon,
  ArrowsOutIcon,
  ArrowUpLeftIcon,
  CircleHalfIcon,
  CircleIcon,
  ColumnsIcon,
  CrosshairIcon,
  CubeIcon,
  FlipHorizontalIcon,
  FrameCornersIcon,
  HandIcon,
  type Icon,
  ListMagnifyingGlassIcon,
  MagnifyingGlassPlusIcon,
  MapPinIcon,
  RulerIcon,
  SlidersHorizontalIcon,
  StackIcon,
  SunIcon,
  UsersThreeIcon,
} from '@phosphor-icons/react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { type ActName, keysOfAct, keysOfTool, type ToolName } from './keys';
import { ToolButton } from './ToolButton';

type PanelAct = 'planes' | 'presets';
export type RailAct = ActName | PanelAct;

const toolIcons: Record<ToolName, Icon> = {
  window: SunIcon,
  pan: HandIcon,
  zoom: MagnifyingGlassPlusIcon,
  scroll: StackIcon,
  length: RulerIcon,
  angle: AngleIcon,
  ellipse: CircleIcon,
  probe: CrosshairIcon,
  arrow: ArrowUpLeftIcon,
};

const actIcons = {
  invert: CircleHalfIcon,
  rotate: ArrowClockwiseIcon,
  flip: FlipHorizontalIcon,
  fit: FrameCornersIcon,
  reset: ArrowCounterClockwiseIcon,
  compare: ColumnsIcon,
  planes: CubeIcon,
  tags: ListMagnifyingGlassIcon,
  presets: SlidersHorizontalIcon,
  ask: MapPinIcon,
  together: UsersThreeIcon,
  fullScreen: ArrowsOutIcon,
} satisfies Partial<Record<RailAct, Icon>>;
export type ShownAct = keyof typeof actIcons;

const groups: readonly (readonly (ToolName | ShownAct)[])[] = [
  ['window', 'pan', 'zoom', 'scroll'],
  ['length', 'angle', 'ellipse', 'probe', 'arrow'],
  ['invert', 'rotate', 'flip', 'fit', 'reset'],
];

/** The acts that change what is beside the picture. On a desktop they are in the bar, on a phone with the tools. */
export const views: readonly ShownAct[] = ['ask', 'together', 'compare', 'planes', 'tags', 'presets', 'fullScreen'];

const isTool = (name: string): name is ToolName => name in toolIcons;
const hint = (name: ToolName | ShownAct) => {
  const [first] = isTool(name) ? keysOfTool(name) : keysOfAct(name as ActName);
  return first === 'Space' ? 'Sp' : first;
};

interface Props {
  tool: ToolName;
  onTool: (tool: ToolName) => void;
  onAct: (act: ShownAct) => void;
  /** The acts that are switched on. */
  on: ReadonlySet<ShownAct>;
  /** The acts that this file does not offer. */
  without: ReadonlySet<ShownAct>;
  desktop: boolean;
}

/** The tools: a column beside the picture, or a row below it that can be scrolled. Never mirrored. */
export function Rail({ tool, onTool, onAct, on, without, desktop }: Props) {
  const { t } = useTranslation();
  const shown = (desktop ? groups : [...groups, views])
    .map((group) => group.filter((name) => isTool(name) || !without.has(name)))
    .filter((group) => group.length);
  return (
    <Flex
      as="nav"
      aria-label={t('viewer.tools')}
      dir="ltr"
      direction={desktop ? 'column' : 'row'}
      align="center"
      gap={desktop ? '1px' : '0.5'}
      px={desktop ? '2' : '1.5'}
      py={desktop ? '2' : '1'}
      bg="viewer.bar"
      borderColor="viewer.border"
      {...(desktop ? { borderRightWidth: '1px', overflowY: 'auto' } : { borderTopWidth: '1px', overflowX: 'auto' })}
      css={{ scrollbarWidth: 'thin', scrollbarColor: '{colors.viewer.border} transparent' }}
      minH="0"
      minW="0"
    >
      {shown.map((group, i) => (
        <Fragment key={group[0]}>
          {i > 0 && (
            <Box
              flex="none"
              bg="viewer.border"
              {...(desktop ? { w: '62px', h: '1px', my: '5px' } : { w: '1px', h: '36px', mx: '1' })}
            />
          )}
          {group.map((name) =>
            isTool(name) ? (
              <ToolButton
                key={name}
                Icon={toolIcons[name]}
                label={t(`viewer.tool.${name}`)}
                hint={hint(name)}
                pressed={tool === name}
                onClick={() => onTool(name)}
              />
            ) : (
              <ToolButton
                key={name}
                Icon={actIcons[name]}
                label={t(`viewer.act.${name}`)}
                hint={hint(name)}
                pressed={on.has(name) ? true : undefined}
                onClick={() => onAct(name)}
              />
            ),
          )}
        </Fragment>
      ))}
    </Flex>
  );
}

export { actIcons };
