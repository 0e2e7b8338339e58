package dev.rlm.sinks.core.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.redaction.PersonalData;
import dev.rlm.sinks.redaction.Redaction;
import dev.rlm.sinks.redaction.RedactionOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PersonalDataTest {
    private static final String ALL =
            "Jane, jane@example.com, +49 30 901820, 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00.";

    private static String redacted(String text, PersonalData... wanted) {
        Map<String, String> variables = new HashMap<>(Map.of("RLM_JSONL_ENABLED", "false"));
        Stream.of(wanted).forEach(data -> variables.put(data.variable(), "true"));
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(variables)).build()) {
            return sinks.content(text).text();
        }
    }

    @Test
    void personalData_areLeftAlone_unlessAskedFor() {
        assertThat(redacted(ALL)).isEqualTo(ALL);
    }

    @ParameterizedTest
    @EnumSource
    void switch_takesOutItsOwn(PersonalData data) {
        String text = redacted(ALL, data);
        assertThat(text).containsOnlyOnce("[REDACTED:").contains("[REDACTED:" + data.kind() + ":");
        assertThat(data.variable()).isEqualTo("RLM_REDACT_" + data.name());
    }

    @Test
    void switch_thatIsNeitherOnNorOff_isRefused() {
        Map<String, String> variables = Map.of("RLM_REDACT_PHONE", "some", "RLM_JSONL_ENABLED", "false");
        Assertions.assertThatExceptionOfType(SinkConfigException.class)
                .isThrownBy(() ->
                        Sinks.builder().config(SinkConfig.of(variables)).build().close())
                .withMessageContaining("RLM_REDACT_PHONE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "+49 30 901820",
                "+1 (415) 555-2671",
                "+1-415-555-2671",
                "+1.415.555.2671",
                "+44 20 7946 0958",
                "+33 6 12 34 56 78",
                "+49 (0)30 901820",
                "+49151 23456789",
                "+49/30/901820",
                "+354 545 1000",
                "+7 495 123-45-67",
                "+14155552671",
                "+4915123456789"
            })
    void phone_isFound_whereItMayStand(String number) {
        assertFound(number, PersonalData.PHONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4111111111111111",
                "4012 8888 8888 1881",
                "5555-5555-5555-4444",
                "2223003122003222",
                "378282246310005",
                "3782 822463 10005",
                "6011 1111 1111 1117",
                "3056 930902 5904",
                "30569309025904",
                "3530111333300000"
            })
    void card_isFound_whereItMayStand(String number) {
        assertFound(number, PersonalData.CARD);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DE89370400440532013000",
                "DE89 3704 0044 0532 0130 00",
                "GB82 WEST 1234 5698 7654 32",
                "FR14 2004 1010 0505 0001 3M02 606",
                "CH93 0076 2011 6238 5295 7",
                "NO9386011117947",
                "MT84 MALT 0110 0001 2345 MTLC AST0 01S"
            })
    void iban_isFound_whereItMayStand(String number) {
        assertFound(number, PersonalData.IBAN);
    }

    private static void assertFound(String number, PersonalData data) {
        String mark = "\\[REDACTED:" + data.kind() + ":[0-9a-f]{8}]";
        assertThat(redacted(number, data)).matches(mark);
        assertThat(redacted("It is " + number + ", or (" + number + ").", data))
                .matches("It is (" + mark + "), or \\(\\1\\)\\.");
        assertThat(redacted("{\"a\":\"" + number + "\",\"b\":\"\\n" + number + "\\n\"}", PersonalData.values()))
                .matches("\\{\"a\":\"(" + mark + ")\",\"b\":\"\\\\n\\1\\\\n\"}");
        assertThat(redacted("a\t" + number + "\tb;" + number + ";", data)).matches("a\t(" + mark + ")\tb;\\1;");
    }

    @Test
    void numbers_areEqual_howeverTheyAreWritten() {
        assertThat(redacted("4111111111111111 = 4111-1111-1111-1111 = 4111 1111 1111 1111.", PersonalData.CARD))
                .matches("(\\[REDACTED:card:[0-9a-f]{8}]) = \\1 = \\1\\.");
        assertThat(redacted("+49 30 901820 = +49-30-901820", PersonalData.PHONE))
                .matches("(\\[REDACTED:phone:[0-9a-f]{8}]) = \\1");
    }

    @Test
    void numbers_endWhereOthersBegin() {
        assertThat(redacted("4111 1111 1111 1111 12/29 123", PersonalData.CARD))
                .matches("\\[REDACTED:card:[0-9a-f]{8}] 12/29 123");
        assertThat(redacted("+1 415 555 2671 2 times", PersonalData.PHONE))
                .matches("\\[REDACTED:phone:[0-9a-f]{8}] 2 times");
        assertThat(redacted("DE89 3704 0044 0532 0130 00 BIC", PersonalData.IBAN))
                .matches("\\[REDACTED:iban:[0-9a-f]{8}] BIC");
    }

    @Test
    void numbers_areFoundInNamesToo() {
        Redaction redaction = new Redaction(RedactionOptions.of(true, Set.of(PersonalData.PHONE), List.of()));
        assertThat(redaction.name("caller +49 30 901820")).matches("caller \\[REDACTED:phone:[0-9a-f]{8}]");
        assertThat(redaction.name("caller +49 30 9")).isEqualTo("caller +49 30 9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Natalia sold 48/2 = <<48/2=24>>24 clips in May, 48+24 = <<48+24=72>>72 in all. #### 72",
                "He earned $1,000,000 + $2,500,000 = $<<1000000+2500000=3500000>>3,500,000",
                "100000000+4915123456789=<<100000000+4915123456789=4915223456789>>",
                "2 +49 30 901820 is a sum, and so is 7 +14155552671",
                "x = 3.5e+10 and 1e+4915123456789, 6.02214076e+23",
                "+3.1415926535 +1.2345678901 +12,345,678,901 -2.718281828459045",
                "+10 20 30 +1 234 567 +0049 30 901820 +28 123 456 789 + 49 30 901820 ++49 30 901820",
                "2024-01-01T00:00:00+01:00 2024-01-01 00:00:00.123456+0100 +2024-01-01 Fri, 01 Jan 2024 00:00:00 +0100",
                "@@ -1,3 +1,4 @@\n-4915123456788\n+4915123456789\n",
                "030 901820, 0049 30 901820, (415) 555-2671 and 555-2671",
                "0.4111111111111111 4111111111111111.5 -4111111111111111 1.4111111111111111e5",
                "4111111111111112 1234567890123456 9999999999999999 0000000000000000",
                "1732345678901 1732345678901234 1732345678901234567 411111111111111111",
                "x4111111111111111 4111111111111111_a 4111111111111111abcdef 4111111111111111-x",
                "4111111111111111abcdef0123456789abcdef0123456789abcdef0123456789",
                "41111111-1111-4111-8111-111111111111 4111-1111-1111-1111-1111",
                "1998 1999 2000 2001 2002; 4111 1111 1111 1111 1111; 1111 4111 1111 1111 1111; 41 111 111 111 111 11",
                "4111, 1111, 1111, 1111 and [4111 1111 11111111]",
                "DE89370400440532013001 DE8937040044053201300 XX89370400440532013000 de89370400440532013000",
                "DE89 3704 0044 0532 0130 01 and DE89 37040044 0532 0130 00 and SE12 HTTP11 AT20",
                "xDE89370400440532013000 DE89370400440532013000x sha256:DE89370400440532013000ABCDEF0123",
                "SHA-1 9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08, GB20 is a size"
            })
    void ordinaryNumbers_areLeftAlone(String text) {
        assertThat(redacted(text, PersonalData.PHONE, PersonalData.CARD, PersonalData.IBAN))
                .isEqualTo(text);
    }
}
