import { Link as ChakraLink, chakra } from '@chakra-ui/react';
import { memo } from 'react';
import { Link } from 'react-router-dom';
import { type Part, partsOf } from './links';
import { marked } from './marks';

const style = { color: 'inherit', textDecoration: 'underline', textUnderlineOffset: '3px' } as const;

/** Marks the searched words. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return marked(text, words).map(({ text, hit }, index) =>
    hit ? (
      <chakra.mark
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
        key={index}
        bg="warning.solid"
        color="warning.contrast"
        borderRadius="3px"
      >
        {text}
      </chakra.mark>
    ) : (
      text
    ),
  );
}

function LinkPart({ part: { text, href, inside, host }, words }: { part: Part; words: readonly string[] }) {
  // An element with a direction is isolated: the letters around it do not move those of the address.
  const shown = <Marked text={text} words={words} />;
  if (inside) {
    return (
      <ChakraLink asChild {...style}>
        <Link to={inside} dir="ltr">
          {shown}
        </Link>
      </ChakraLink>
    );
  }
  return (
    <>
      <ChakraLink href={href} dir="ltr" target="_blank" rel="noopener noreferrer nofollow" {...style}>
        {shown}
      </ChakraLink>
      {host && <bdi dir="ltr"> ({host})</bdi>}
    </>
  );
}

const noWords: readonly string[] = [];

/** The text of a message: as it was written, with links, and with the searched words marked. */
export const MessageText = memo(function MessageText({
  content,
  words = noWords,
}: {
  content: string;
  words?: readonly string[] | undefined;
}) {
  return partsOf(content).map((part, index) =>
    part.href ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <LinkPart key={index} part={part} words={words} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <Marked key={index} text={part.text} words={words} />
    ),
  );
});
