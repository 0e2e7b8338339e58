package dev.rlm.sinks.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JsonValuesTest {
    private static @Nullable Object plain(@Nullable Object value) {
        Map<String, Object> copy = JsonValues.copy(new HashMap<>(mapOf("v", value)));
        assertThat(JsonValues.copy(copy)).as("a copy of a copy").isEqualTo(copy);
        return copy.get("v");
    }

    private static Map<String, @Nullable Object> mapOf(String name, @Nullable Object value) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put(name, value);
        return map;
    }

    @Test
    void numbers_becomeThoseThatJsonReadersKnow() {
        assertThat(plain((short) 7)).isEqualTo(7);
        assertThat(plain(7L)).isEqualTo(7);
        assertThat(plain(1L << 40)).isEqualTo(1L << 40);
        assertThat(plain(new AtomicLong(-3))).isEqualTo(-3);
        assertThat(plain(0.1f)).isEqualTo(0.1);
        assertThat(plain(Float.NaN)).isEqualTo(Double.NaN);
        assertThat(plain(-0.0)).isEqualTo(-0.0);
        assertThat(plain(BigInteger.TWO)).isEqualTo(2);
        assertThat(plain(BigInteger.TWO.pow(62))).isEqualTo(1L << 62);
        assertThat(plain(new BigDecimal("0.5"))).isEqualTo(0.5);
    }

    @Test
    void numbersBeyondAllRanges_becomeText() {
        assertThat(plain(new BigDecimal("1e1000000"))).isEqualTo("1E+1000000");
        assertThat(plain(new BigDecimal("-1e-1000000"))).isEqualTo("-1E-1000000");
        assertThat(plain(new BigDecimal("0e1000000"))).isEqualTo(0.0);
        assertThat(plain(BigInteger.TWO.pow(63))).isEqualTo("9223372036854775808");
        assertThat(plain(BigInteger.TEN.pow(9_999))).isEqualTo("1" + "0".repeat(9_999));
        assertThat(plain(BigInteger.ONE.shiftLeft(10_000_000))).isEqualTo("[too long]");
        assertThat(plain(new BigDecimal(BigInteger.ONE.shiftLeft(10_000_000)))).isEqualTo("[too long]");
    }

    @Test
    void otherValues_becomeListsOrText() {
        Instant time = Instant.parse("2026-03-01T10:20:30Z");
        assertThat(plain('c')).isEqualTo("c");
        assertThat(plain(TimeUnit.DAYS)).isEqualTo("DAYS");
        assertThat(plain(time)).isEqualTo(time.toString());
        assertThat(plain(new int[] {1, 2})).isEqualTo(List.of(1, 2));
        assertThat(plain(new Object[] {"a", null})).isEqualTo(Arrays.asList("a", null));
        assertThat(plain(Optional.of(1L))).isEqualTo(1);
        assertThat(plain(Optional.empty())).isNull();
        assertThat(plain(Path.of("a", "b"))).isEqualTo(Path.of("a", "b").toString());
        assertThat(plain(null)).isNull();
    }

    @Test
    void valuesThatFail_spoilNobodyElse() {
        Object throwing = new Object() {
            @Override
            public String toString() {
                throw new StackOverflowError();
            }
        };
        Object silent = new Object() {
            @Override
            @SuppressWarnings({"NullAway", "ToStringReturnsNull"}) // as it may happen
            public String toString() {
                return null;
            }
        };
        List<Object> broken = new AbstractList<>() {
            @Override
            public Object get(int index) {
                throw new IllegalStateException();
            }

            @Override
            public int size() {
                return 3;
            }
        };
        Map<Object, Object> odd = new LinkedHashMap<>();
        odd.put(throwing, 1);
        odd.put(silent, 2);
        assertThat(plain(Arrays.asList(throwing, silent, broken, odd, 5)))
                .isEqualTo(List.of(Content.FAILED, "null", Content.FAILED, Map.of(Content.FAILED, 1, "null", 2), 5));
    }

    @Test
    void names_thatBecomeEqual_areOne() {
        Map<@Nullable Object, Object> odd = new LinkedHashMap<>();
        odd.put("a\uD800", 1);
        odd.put("a\uFFFD", 2);
        odd.put(null, 3);
        odd.put("null", 4);
        odd.put(7, 5);
        assertThat(plain(odd)).isEqualTo(Map.of("a\uFFFD", 2, "null", 4, "7", 5));
        assertThat(RunStatus.of(0, "").details()).isEmpty();
        assertThat(new RunStatus(0, "", Map.of("a\uDC00", "x\uDC00")).details())
                .containsExactly(entry("a\uFFFD", "x\uFFFD"));
    }

    @Test
    void deepValue_endsInAMark() {
        Object value = "bottom";
        for (int i = 0; i < 10_000; i++) {
            value = i % 2 == 0 ? List.of(value) : Map.of("in", value);
        }
        assertThat(String.valueOf(plain(value))).contains(JsonValues.TOO_DEEP).doesNotContain("bottom");
    }

    @Test
    void valueThatContainsItselfTwice_ends() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        list.add(list);
        list.add("x");
        assertThat(String.valueOf(plain(list)))
                .contains(JsonValues.TOO_DEEP, JsonValues.TOO_MUCH)
                .hasSizeLessThan(2_000_000);
        Map<String, Object> map = new HashMap<>();
        map.put("a", map);
        map.put("b", list);
        assertThat(String.valueOf(plain(map))).contains(JsonValues.TOO_MUCH).hasSizeLessThan(3_000_000);
    }

    @Test
    void endlessList_ends() {
        List<Integer> endless = new AbstractList<>() {
            @Override
            public Integer get(int index) {
                return index;
            }

            @Override
            public int size() {
                return Integer.MAX_VALUE;
            }
        };
        assertThat((List<?>) plain(endless))
                .hasSizeBetween(10_000, 100_000)
                .last()
                .isEqualTo(JsonValues.TOO_MUCH);
    }

    @Test
    void longTexts_areLimited_andAllTogetherToo() {
        assertThat((String) plain("x".repeat(100_000))).contains("[CUT:").hasSizeLessThan(40_000);
        List<String> many = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            many.add("x".repeat(60_000));
        }
        assertThat((List<?>) plain(many)).hasSizeLessThan(20).last().isEqualTo(JsonValues.TOO_MUCH);
    }
}
