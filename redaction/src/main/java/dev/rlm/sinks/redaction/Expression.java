package dev.rlm.sinks.redaction;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression that matches where a text begins, compiled when it is first needed: most are never. RE2/J takes time
 * in proportion to the text, whatever that is. Safe for use by several threads.
 */
final class Expression {
    private final String regex;
    private final Beginnings beginnings;
    private volatile @Nullable Pattern pattern;

    Expression(String regex) {
        this.regex = "\\A(?:" + regex + ")"; // a try that fails ends at once
        this.beginnings = new Beginnings(regex);
    }

    /** Returns whether it may match at the index; where it does it always may. */
    boolean mayMatch(String text, int index) {
        return beginnings.mayMatch(text, index);
    }

    Matcher on(CharSequence text) {
        Pattern compiled = pattern;
        if (compiled == null) {
            compiled = Pattern.compile(regex);
            pattern = compiled;
        }
        return compiled.matcher(text);
    }
}
