import { createSystem, defineConfig, type SlotRecipeConfig } from '@chakra-ui/react';
import { base } from './base';
import { semanticTokens, tokens } from './tokens';

/** The style of inputs. In focus the border changes colour and has a soft ring; the ring of buttons has an offset. */
const control = { borderColor: 'border.control', bg: 'bg.surface', focusVisibleRing: 'mixed' } as const;
/** Types a part of a recipe as a whole one. Chakra merges it over its own recipe, which already names the slots. */
const refine = (recipe: Omit<SlotRecipeConfig, 'slots'>) => recipe as SlotRecipeConfig;
const outline = (slot: string) => refine({ variants: { variant: { outline: { [slot]: control } } } });
/**
 * The hover colour of solid buttons: mixed with the text colour, so darker in the light theme, lighter in the dark one.
 */
const solidHover = 'color-mix(in srgb, var(--chakra-colors-color-palette-solid) 86%, var(--chakra-colors-fg))';
/** A phone that is held sideways has no room for a head and a foot that stay: the whole dialog scrolls. */
const low = '@media (max-height: 480px)';
/** Touch targets are at least 44 px wide and high; with a mouse they may be smaller. */
const touchTarget = { '@media (pointer: coarse)': { minH: 'touch', minW: 'touch' } };
/** The height of a button: that of its text, when large type or a long language breaks it into lines, and at least this. */
const atLeast = (height: string) => ({ h: 'fit-content', minH: height, py: '0.5' });

export const system = createSystem(
  base,
  defineConfig({
    utilities: {
      truncate: {
        values: { type: 'boolean' },
        transform: (value: unknown) =>
          value === true
            ? {
                overflow: 'hidden',
                textOverflow: 'ellipsis',
                whiteSpace: 'nowrap',
                // Letters of Nastaliq reach out of their line, and would lose their tops.
                'html[lang=ur] &': { overflow: 'clip visible', minWidth: 0 },
              }
            : {},
      },
    },
    theme: {
      tokens,
      keyframes: {
        lightUp: { from: { opacity: '0', filter: 'brightness(.25)' }, to: { opacity: '1', filter: 'brightness(1)' } },
      },
      semanticTokens,
      layerStyles: {
        disabled: {
          value: {
            bg: 'bg.subtle',
            color: 'fg.muted',
            borderColor: 'border',
            cursor: 'not-allowed',
            opacity: 1,
          },
        },
        card: { value: { bg: 'bg.surface', borderWidth: '1px', borderColor: 'border', borderRadius: 'card' } },
        /** A placeholder while data loads: it appears after 200 ms and does not pulse. */
        waiting: {
          value: {
            backgroundImage:
              'linear-gradient(90deg, var(--chakra-colors-bg-subtle), var(--chakra-colors-bg-muted), var(--chakra-colors-bg-subtle))',
            borderRadius: '6px',
            animation: 'fade-in 160ms 200ms both',
          },
        },
        /** The panel of the content, with a soft amber gradient below its top edge. */
        lit: {
          value: {
            position: 'relative',
            bg: 'bg.canvas',
            backgroundImage:
              'radial-gradient(60% 190px at 50% -40px, var(--chakra-colors-lamp-wash), transparent 100%)',
            backgroundRepeat: 'no-repeat',
            boxShadow: 'panel',
          },
        },
        /** The frame around the panel of the screens without a session. */
        entry: {
          value: {
            backgroundImage: 'linear-gradient(100deg, var(--chakra-colors-bg-entry), var(--chakra-colors-bg) 46%)',
          },
        },
        /** A bar that is lit up to where it ends. */
        lamp: {
          value: {
            backgroundImage: 'linear-gradient(90deg, var(--chakra-colors-lamp-deep), var(--chakra-colors-lamp))',
            _rtl: {
              backgroundImage: 'linear-gradient(270deg, var(--chakra-colors-lamp-deep), var(--chakra-colors-lamp))',
            },
          },
        },
      },
      textStyles: {
        page: {
          value: {
            fontSize: { base: '1.5625rem', lg: '2xl' },
            lineHeight: '1.18',
            fontWeight: '650',
            letterSpacing: '-.018em',
          },
        },
        section: { value: { fontSize: 'lg', lineHeight: '1.3', fontWeight: '650', letterSpacing: '-.01em' } },
        total: {
          value: { fontSize: '3xl', lineHeight: '1', fontWeight: '700', letterSpacing: '-.03em' },
        },
      },
      recipes: {
        button: {
          base: {
            fontWeight: 'semibold',
            // A button is never wider than the part in which it stands: on a phone its text breaks.
            maxW: 'full',
            whiteSpace: { base: 'normal', md: 'nowrap' },
            overflowWrap: 'anywhere',
            transitionDuration: 'fade',
            _active: { transform: 'scale(.985)', transitionDuration: 'press' },
            _disabled: { _hover: { bg: 'bg.subtle' }, _active: { transform: 'none' } },
            _icon: { width: '20px', height: '20px' },
          },
          variants: {
            size: {
              '2xs': { ...atLeast('6') },
              xs: { ...atLeast('8'), ...touchTarget },
              sm: {
                ...atLeast('34px'),
                minW: '34px',
                px: '3',
                gap: '1.5',
                borderRadius: '9px',
                _icon: { width: '18px', height: '18px' },
                ...touchTarget,
              },
              md: { ...atLeast('10'), textStyle: 'none', fontSize: '.9375rem', ...touchTarget },
              lg: { ...atLeast('48px'), minW: '48px', px: '22px', gap: '2', borderRadius: '12px' },
              xl: { ...atLeast('52px'), px: '6', borderRadius: '12px' },
            },
            variant: {
              solid: { _hover: { bg: solidHover }, _expanded: { bg: solidHover } },
              subtle: { color: 'colorPalette.onSubtle' },
              outline: {
                borderColor: 'border.control',
                bg: 'bg.surface',
                color: 'fg',
                _hover: { bg: 'bg.muted' },
                _expanded: { bg: 'bg.muted' },
              },
              // For buttons in bars and rows: grey. The variant `plain` has the colour of the palette (a red Delete
              // icon).
              ghost: {
                color: 'fg.muted',
                _hover: { bg: 'bg.emphasized', color: 'fg' },
                _expanded: { bg: 'bg.emphasized', color: 'fg' },
              },
              plain: { _hover: { bg: 'colorPalette.subtle' } },
              // Border and text have the colour of the palette (Revoke, Delete account).
              surface: {
                bg: 'transparent',
                shadow: 'none',
                borderColor: 'colorPalette.fg',
                _hover: { bg: 'colorPalette.subtle' },
              },
            },
          },
        },
        input: {
          base: { transition: 'border-color, box-shadow', transitionDuration: 'fade' },
          variants: {
            size: { lg: { textStyle: 'none', fontSize: { base: 'md', lg: '.9375rem' }, px: '13px' } },
            variant: { outline: control },
          },
        },
        textarea: {
          variants: {
            size: { lg: { textStyle: 'none', fontSize: { base: 'md', lg: '.9375rem' }, px: '13px' } },
            variant: { outline: control },
          },
        },
        checkmark: { variants: { variant: { solid: { borderColor: 'border.control', bg: 'bg.surface' } } } },
        link: {
          // A link that stands alone is 24 px high, also in small text. Its place in the layout stays that of the text.
          base: { fontWeight: 'inherit', textUnderlineOffset: '3px', py: '3px', my: '-3px' },
          variants: { variant: { underline: { color: 'colorPalette.fg', textDecorationColor: 'currentColor' } } },
        },
        heading: { base: { fontWeight: '650', letterSpacing: '-.01em' } },
      },
      slotRecipes: {
        pinInput: outline('input'),
        combobox: refine({
          base: { trigger: { minW: '24px' }, clearTrigger: { minW: '24px' } },
          variants: { variant: { outline: { input: control } } },
        }),
        nativeSelect: outline('field'),
        checkbox: refine({
          base: { root: { minW: '24px', minH: '24px' } },
          variants: { variant: { solid: { control: { borderColor: 'border.control', bg: 'bg.surface' } } } },
        }),
        switch: refine({
          base: { root: { minH: '24px' }, label: { lineHeight: '1.4' } },
          variants: { variant: { solid: { control: { bg: 'border.control' } } } },
        }),
        table: refine({
          variants: {
            size: {
              md: {
                columnHeader: { px: '3.5', py: '11px', fontSize: 'xs', fontWeight: 'semibold' },
                cell: { px: '3.5', py: '0', h: '58px' },
              },
            },
            variant: {
              line: {
                root: { bg: 'transparent' },
                row: { bg: 'transparent' },
                columnHeader: { color: 'fg.muted', borderBottomWidth: '0' },
                cell: { borderBottomWidth: '0', borderTopWidth: '1px', borderColor: 'border' },
              },
            },
          },
        }),
        field: refine({
          base: {
            label: { fontWeight: 'semibold', userSelect: 'auto' },
            errorText: { alignItems: 'flex-start', gap: '1.5', textStyle: 'none', fontSize: '.84375rem' },
            helperText: { lineHeight: '1.4' },
          },
        }),
        menu: refine({
          base: {
            content: {
              borderWidth: '1px',
              borderColor: 'border',
              borderRadius: '12px',
              boxShadow: 'float',
              p: '1.5',
              minW: '190px',
            },
            item: {
              minH: '38px',
              px: '2.5',
              gap: '2.5',
              borderRadius: '8px',
              fontSize: '.90625rem',
              fontWeight: 'medium',
              '@media (pointer: coarse)': { minH: 'touch' },
            },
          },
        }),
        dialog: refine({
          base: {
            backdrop: { bg: 'scrim' },
            content: {
              borderRadius: { base: '{radii.sheet} {radii.sheet} 0 0', md: 'sheet' },
              borderWidth: '1px',
              borderColor: 'border',
              boxShadow: 'dialog',
              textStyle: 'none',
              fontSize: 'md',
              overflowX: 'hidden',
              // On a phone the dialog scrolls as a whole above its buttons: large text leaves too little room for a part.
              overflowY: { base: 'auto', md: 'hidden' },
              maxW: { base: '100vw', md: '520px' },
              // A sheet from below on a phone.
              mt: { base: 'auto', md: 'var(--dialog-base-margin)' },
              mb: { base: '0', md: 'var(--dialog-base-margin)' },
              maxH: { base: '92dvh', md: 'none' },
              [low]: { maxH: '100dvh', overflowY: 'auto' },
              _open: { animationDuration: 'slide' },
            },
            header: { px: '6', pt: '22px', pb: '0' },
            body: {
              px: '6',
              pt: '18px',
              pb: '22px',
              flex: { base: '1 0 auto', md: '1' },
              overflowY: { base: 'visible', md: 'auto' },
              [low]: { flex: 'none', overflow: 'visible' },
            },
            footer: {
              px: '6',
              py: '4',
              gap: '2.5',
              flexWrap: 'wrap',
              position: { base: 'sticky', md: 'static' },
              // Between pixels a line of the text below it would show.
              [low]: { position: 'static' },
              bottom: '-1px',
              zIndex: '1',
              borderTopWidth: '1px',
              borderColor: 'border',
              bg: 'color-mix(in srgb, var(--chakra-colors-bg-subtle) 55%, var(--chakra-colors-bg-panel))',
            },
            title: {
              textStyle: 'none',
              fontSize: '1.25rem',
              lineHeight: '1.3',
              fontWeight: '650',
              letterSpacing: '-.01em',
            },
          },
          defaultVariants: { placement: 'center', motionPreset: 'slide-in-bottom' },
        }),
        drawer: refine({ base: { backdrop: { bg: 'scrim' } } }),
        // Without an animation at its end. One that the next focus interrupts leaves the tooltip on the screen.
        tooltip: refine({ base: { content: { _closed: { animation: 'none !important' } } } }),
        toast: refine({
          base: {
            root: {
              borderRadius: '13px',
              borderWidth: '1px',
              borderColor: 'border',
              boxShadow: 'float',
              // Icon and text show the state; the background has no state colour.
              '&[data-type]': { bg: 'bg.panel', color: 'fg' },
            },
            title: { fontWeight: 'semibold', textStyle: 'none', fontSize: '.90625rem' },
            description: { opacity: 1, color: 'fg.muted' },
            closeTrigger: { color: 'fg.muted' },
          },
        }),
      },
    },
    globalCss: {
      '*': { '--focus-ring-width': '3px' },
      html: { colorPalette: 'accent', scrollPaddingTop: '80px', textSizeAdjust: '100%' },
      body: { fontSize: 'md', minH: '100dvh' },
      p: { textWrap: 'pretty' },
      'a:focus-visible, [tabindex]:focus-visible, summary:focus-visible': {
        outline: '3px solid',
        outlineColor: 'accent.focusRing',
        outlineOffset: '2px',
      },
      'main:focus-visible, h1:focus-visible, [role=dialog]:focus-visible': { outline: 'none' },
      '*::placeholder, *[data-placeholder]': { color: 'fg.muted' },
      // An empty field with `dir=auto` has the direction of the page.
      '[dir=rtl] textarea[dir=auto]:placeholder-shown': { direction: 'rtl' },
      // A one-line input has the alignment of the page, where its icons are; its text has its own direction.
      '[dir=rtl] input[dir=auto]': { direction: 'rtl', unicodeBidi: 'plaintext', textAlign: 'right' },
      // Headings, values and rows are aligned to the start of the page in every language; paragraphs to their own
      // start. With left and right, because not every browser supports `match-parent`.
      'html[dir=rtl] :is(:is(h1, h2, h3, h4, dd, a)[dir=auto], [data-row] [dir=auto])': { textAlign: 'right' },
      'html[dir=ltr] :is(:is(h1, h2, h3, h4, dd, a)[dir=auto], [data-row] [dir=auto])': { textAlign: 'left' },
      // Nastaliq script is steep: larger type, double line height, no letter spacing. Text with `dir=ltr` is excluded.
      'html[lang=ur]': { fontSize: '106.25%' },
      'html[lang=ur] :not(svg, svg *, [dir=ltr], [dir=ltr] *)': {
        lineHeight: '2 !important',
        letterSpacing: 'normal !important',
      },
      '*, *::before, *::after': {
        '@media (prefers-reduced-motion: reduce)': {
          animationDuration: '.01ms !important',
          animationIterationCount: '1 !important',
          transitionDuration: '.01ms !important',
          scrollBehavior: 'auto !important',
        },
      },
    },
  }),
);
