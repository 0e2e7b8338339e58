package dev.rlm.runner.python;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Python in a model's words: what stands between <code>```python</code> and <code>```</code>. */
final class CodeBlocks {
    // The last one may lack its end: servers leave out the words at which they were told to stop.
    private static final Pattern BLOCK = Pattern.compile(
            "^[ \\t]*```(?:python3?|py)[ \\t]*\\R(.*?)(?:^[ \\t]*```|\\z)",
            Pattern.MULTILINE | Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

    private CodeBlocks() {}

    /** All of them, one below the other; empty where there is none. */
    static Optional<String> in(String words) {
        String code = BLOCK.matcher(words)
                .results()
                .map(block -> block.group(1).stripTrailing())
                .collect(Collectors.joining("\n"));
        return code.isBlank() ? Optional.empty() : Optional.of(code);
    }
}
