package dev.rlm.runner.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodeBlocksTest {
    @Test
    void blocks_areJoined() {
        assertThat(CodeBlocks.PYTHON.in("First:\n```python\nx = 1\n```\nthen\n```Python\nprint(x)\n```\n"))
                .contains("x = 1\nprint(x)");
    }

    @Test
    void blockWithoutItsEnd_counts() {
        assertThat(CodeBlocks.PYTHON.in("```py\nprint(1)\n")).contains("print(1)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"42", "```\n42\n```", "```json\n{}\n```", "```python\n```"})
    void wordsWithoutCode_haveNone(String words) {
        assertThat(CodeBlocks.PYTHON.in(words)).isEmpty();
    }
}
