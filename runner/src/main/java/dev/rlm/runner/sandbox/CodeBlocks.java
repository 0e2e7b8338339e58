package dev.rlm.runner.sandbox;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Code of a language in a model's words: what stands between <code>```python</code>, or another name, and <code>```</code>. */
public enum CodeBlocks {
    /** Python. */
    PYTHON("python3?|py"),
    /** Command lines. */
    SHELL("bash|sh|shell");

    private final Pattern block;

    CodeBlocks(String names) {
        // The last one may lack its end: servers leave out the words at which they were told to stop.
        block = Pattern.compile(
                "^[ \\t]*```(?:" + names + ")[ \\t]*\\R(.*?)(?:^[ \\t]*```|\\z)",
                Pattern.MULTILINE | Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
    }

    /** Returns all of them, one below the other; empty where there is none. */
    public Optional<String> in(String words) {
        String code = block.matcher(words)
                .results()
                .map(match -> match.group(1).stripTrailing())
                .collect(Collectors.joining("\n"));
        return code.isBlank() ? Optional.empty() : Optional.of(code);
    }
}
