package dev.rlm.sinks.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
    private static final String IDS = "-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";
    private static final String PARENT = "00" + IDS + "01";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "ff" + IDS + "01",
                "00" + IDS + "1",
                "00" + IDS + "01-more",
                "01" + IDS + "01more"
            })
    void traceparent_thatIsNotValid_isLeftOut_withItsState(String traceparent) {
        assertThat(new TraceContext(traceparent, "a=b", "k=v")).isEqualTo(new TraceContext(null, null, "k=v"));
    }

    @Test
    void traceparent_ofALaterVersion_isHandedOnAsThisOne() {
        assertThat(new TraceContext("cc" + IDS + "03-what-comes", null, null).traceparent())
                .isEqualTo("00" + IDS + "01");
        assertThat(new TraceContext(" 00" + IDS + "00 ", null, null).traceparent())
                .isEqualTo("00" + IDS + "00");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1,b@c=2 | a=1,b@c=2",
                "a=1 ,, b=2 | a=1,b=2",
                "A=1 |",
                "a=1,b |",
                "a=1,b=ü |",
                "'' |",
            })
    void tracestate_isKeptWholeOrNotAtAll(String header, @Nullable String expected) {
        assertThat(new TraceContext(PARENT, header, null).tracestate()).isEqualTo(expected);
    }

    @Test
    void tracestate_thatIsTooLong_losesLongEntriesAndThenTheOldest() {
        String longOne = "long=" + "x".repeat(200);
        String others = numbered("k%d=" + "y".repeat(30), 20);

        String kept = new TraceContext(PARENT, longOne + "," + others, null).tracestate();

        assertThat(kept).hasSizeBetween(450, 512).doesNotContain("long");
        assertThat(others).startsWith(kept);
        assertThat(new TraceContext(PARENT, numbered("k%d=v", 33), null).tracestate())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1,b=2 | a=1,b=2",
                "' a = 1 ; p = x ;q , b=2' | a=1; p = x ;q,b=2",
                "a=1,no value,b=2,=3,c=\"x\",d=ü,e=1;;x | a=1,b=2",
                "a= | a=",
                "a=b=c | a=b=c",
                "nonsense |",
                "',,,' |",
            })
    void baggage_losesTheEntriesThatAreNotValid(String header, @Nullable String expected) {
        assertThat(new TraceContext(null, null, header).baggage()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "a b", "a,b;c=d\"e\\f", "100%", "+", "größe 漢字 😀", "line\nbreak", " ", "%20"})
    void baggageEntry_withOddCharacters_comesBack(String value) {
        TraceContext sent = TraceContext.NONE.withBaggageEntry("odd", value).withBaggageEntry("other", "x");
        TraceContext received = TraceContext.from(sent.toMap());

        assertThat(received.baggageEntry("odd")).hasValue(value);
        assertThat(received.baggageEntry("other")).hasValue("x");
        assertThat(received.baggage()).matches("[\\x21-\\x7e]+");
    }

    @Test
    void idsOfARun_takeThePlaceOfAnOuterRuns() {
        TraceContext outer = TraceContext.NONE.withBaggageEntry("user", "7").withRun("outer", "r-1");

        assertThat(outer.baggage()).isEqualTo("rlm.run_id=outer,rlm.rollout_id=r-1,user=7");
        assertThat(outer.withRun("inner", "r-2").baggage()).isEqualTo("rlm.run_id=inner,rlm.rollout_id=r-2,user=7");
        assertThat(outer.withRun("inner", null).baggage()).isEqualTo("rlm.run_id=inner,user=7");
    }

    @Test
    void baggageEntry_isReadAsOthersWriteIt() {
        TraceContext context = new TraceContext(null, null, "a=x%20y%2Cz+w;meta=1,b=50%,c=%FF");

        assertThat(context.baggageEntry("a")).hasValue("x y,z+w");
        assertThat(context.baggageEntry("b")).hasValue("50%");
        assertThat(context.baggageEntry("c")).hasValue("\ufffd");
        assertThat(context.baggageEntry("d")).isEmpty();
        assertThat(TraceContext.NONE.baggageEntry("a")).isEmpty();
    }

    @Test
    void baggageEntry_isSetOnce_andFirst() {
        TraceContext context = new TraceContext(null, null, "a=1,b=2").withBaggageEntry("b", "3");

        assertThat(context.baggage()).isEqualTo("b=3,a=1");
        assertThat(context.withBaggageEntry("no name", "x")).isEqualTo(context);
    }

    @Test
    void baggage_thatIsTooLong_isCutAtWholeEntries() {
        String many = numbered("key%d=" + "v".repeat(90), 100);
        String cut = new TraceContext(null, null, many).baggage();
        assertThat(cut).hasSizeBetween(8_000, 8_192);
        assertThat(many).startsWith(cut + ",");

        TraceContext full = new TraceContext(null, null, cut).withBaggageEntry("rlm.run_id", "r");
        assertThat(full.baggage()).startsWith("rlm.run_id=r,key0=").hasSizeLessThanOrEqualTo(8_192);
        assertThat(full.withBaggageEntry("huge", "x".repeat(9_000))).isEqualTo(full);
    }

    @Test
    void baggage_ofManyProperties_harmsNobody() {
        String hostile = "a=1" + ";p".repeat(4_000) + "," + "b=".repeat(100_000) + "," + ",".repeat(100_000);

        assertThat(new TraceContext(PARENT, hostile, hostile).baggage()).startsWith("a=1;p;p");
    }

    @Test
    void sixtyFourEntries_arePassedOn() {
        String entries = numbered("key%d=v", 64);

        assertThat(new TraceContext(null, null, entries).baggage()).isEqualTo(entries);
    }

    @ParameterizedTest
    @CsvSource({
        "traceparent, tracestate, baggage",
        "TRACEPARENT, TRACESTATE, BAGGAGE",
        "Traceparent, TraceState, Baggage"
    })
    void carrier_isReadWhateverTheCaseOfItsNames(String parent, String state, String baggage) {
        Map<String, String> carrier = Map.of(parent, PARENT, state, "a=1", baggage, "k=v", "PATH", "/bin");

        assertThat(TraceContext.from(carrier)).isEqualTo(new TraceContext(PARENT, "a=1", "k=v"));
        assertThat(TraceContext.from(Map.of("PATH", "/bin"))).isEqualTo(TraceContext.NONE);
    }

    @Test
    void carrier_isWrittenForHeadersAndForEnvironments() {
        TraceContext context = new TraceContext(PARENT, null, "k=v");

        assertThat(context.toMap()).containsExactly(Map.entry("traceparent", PARENT), Map.entry("baggage", "k=v"));
        // An empty value takes the place of one that this process has inherited.
        assertThat(context.toEnvironment())
                .containsExactly(
                        Map.entry("TRACEPARENT", PARENT), Map.entry("TRACESTATE", ""), Map.entry("BAGGAGE", "k=v"));
        assertThat(TraceContext.from(context.toEnvironment())).isEqualTo(context);
        assertThat(TraceContext.from(TraceContext.NONE.toEnvironment())).isEqualTo(TraceContext.NONE);
    }

    @Test
    void map_seesValuesAsTheyAreMeant() {
        TraceContext context = new TraceContext(PARENT, "vendor=the secret", "a=the%20secret;p=thesecret,thesecret=1");

        TraceContext mapped = context.map(text -> text.replaceAll("the ?secret", "[gone]"));

        assertThat(mapped).isEqualTo(new TraceContext(PARENT, "vendor=[gone]", "a=%5Bgone%5D;p=[gone]"));
    }

    private static String numbered(String pattern, int count) {
        return IntStream.range(0, count).mapToObj(pattern::formatted).collect(Collectors.joining(","));
    }
}
