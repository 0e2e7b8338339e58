package dev.rlm.sinks.mlflow.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {
    @ParameterizedTest
    @ValueSource(strings = {"trainer/loss", "a.b-c_d:e f", "9", "x/.y", "...", " "})
    void validName_stays(String name) {
        assertThat(Keys.valid(name)).isEqualTo(name);
    }

    @Test
    void changedNames_lookAlike_andStayDistinct() {
        assertThat(Keys.valid("a@b")).startsWith("a_b.h");
        List<String> names = List.of("a@b", "a#b", "a_b", "a//b", "a/_/b", "a/./b", "a/_./b", "", "_");
        Set<String> keys = names.stream().map(Keys::valid).collect(Collectors.toSet());
        assertThat(keys).hasSameSizeAs(names).allMatch(key -> key.matches("[A-Za-z0-9_./]+"));
    }

    @Test
    void nameThatLooksChanged_isChanged() {
        String changed = Keys.valid("a@b");
        assertThat(Keys.valid(changed)).isNotEqualTo(changed);
    }

    @Test
    void longName_isCut() {
        assertThat(Keys.valid("x".repeat(250))).hasSize(250).doesNotContain(".h");
        assertThat(Keys.valid("x".repeat(251))).hasSize(250).contains("x.h");
    }
}
