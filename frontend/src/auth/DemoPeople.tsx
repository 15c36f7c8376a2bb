import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { send } from '../lib/http';
import { RoleBadge } from '../ui/Badge';
import { authCalls } from './calls';

interface DemoPerson {
  role: string;
  name: string;
  email: string;
  password: string;
}

function useDemoPeople(): DemoPerson[] {
  const [people, setPeople] = useState<DemoPerson[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    send(authCalls.demoPeople, {}, { token: 'none', signal: leaving.signal }).then(
      ({ data }) => setPeople(data),
      // Without the demo people the form still works.
      () => undefined,
    );
    return () => leaving.abort();
  }, []);
  return people;
}

/** Lists the invented accounts of a demo installation for sign-in. Renders nothing in other installations. */
export function DemoPeople({ onPick }: { onPick: (person: DemoPerson) => void }) {
  const { t } = useTranslation();
  const people = useDemoPeople();
  if (!people.length) return null;
  return (
    <Box as="section" layerStyle="card" mt="7" p="4" aria-labelledby="demo-title">
      <Heading as="h2" id="demo-title" fontSize="md">
        {t('auth.demo.title')}
      </Heading>
      <Text color="fg.muted" fontSize="xs" mt="0.5">
        {t('auth.demo.text')}
      </Text>
      <Box as="ul" listStyleType="none" mt="2">
        {people.map((person) => (
          <Box as="li" key={person.email} borderTopWidth="1px" _first={{ borderTopWidth: '0' }}>
            <chakra.button
              type="button"
              w="full"
              py="2.5"
              textAlign="start"
              cursor="pointer"
              borderRadius="control"
              onClick={() => onPick(person)}
              _hover={{ '& .demo-name': { textDecoration: 'underline', textUnderlineOffset: '3px' } }}
              _focusVisible={{ outline: '3px solid', outlineColor: 'accent.focusRing' }}
            >
              <Flex justify="space-between" align="center" columnGap="3" wrap="wrap">
                <Text className="demo-name" fontWeight="semibold">
                  {person.name}
                </Text>
                <RoleBadge name={person.role} />
              </Flex>
              <Text fontFamily="mono" fontSize="xs" color="fg.muted" overflowWrap="anywhere" mt="0.5">
                {person.email} · {person.password}
              </Text>
            </chakra.button>
          </Box>
        ))}
      </Box>
    </Box>
  );
}
