package dev.rlm.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments of paths, as they are written and as they come. */
class PathSegmentTest {
    @ParameterizedTest
    @ValueSource(strings = {"a b", "a/b", "../x", "ü%", "...", "a+b", "\\", "?#"})
    void text_comesBack_andStaysOneSegment(String text) throws RefusedException {
        assertThat(PathSegment.encoded(text)).doesNotContain("/", "\\", "?", "#", " ", "+");
        assertThat(PathSegment.decoded(PathSegment.encoded(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void dots_areNoName(String text) {
        assertThat(PathSegment.isName(text)).isFalse();
        assertThatThrownBy(() -> PathSegment.encoded(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + text + "' cannot be part of an address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "%2e%2e", ".%2E", "..%2fx", "a%2f..%2fb", "..%5cx", "a\\b"})
    void segmentThatLeadsOut_isRefused(String segment) {
        assertThatThrownBy(() -> PathSegment.names(segment)).isInstanceOf(RefusedException.class);
    }

    @Test
    void ownPlace_isNoName_andAllElseIs() throws RefusedException {
        assertThat(PathSegment.names(".")).isFalse();
        assertThat(PathSegment.names("%2e")).isFalse();
        assertThat(PathSegment.names("org%2Fmodel-7..b")).isTrue();
        assertThat(PathSegment.names("...")).isTrue();
    }
}
