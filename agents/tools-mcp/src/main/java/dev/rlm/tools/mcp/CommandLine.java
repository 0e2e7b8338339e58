package dev.rlm.tools.mcp;

import dev.rlm.episodes.SetupException;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a command into words as a shell does: at blanks outside quotes; nothing is special between single quotes, and a
 * backslash elsewhere takes the next character as it is, between double quotes only where that is a quote or a backslash.
 * Nothing is expanded.
 */
final class CommandLine {
    private static final char NONE = 0;

    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private char quote = NONE;

    private CommandLine() {}

    static List<String> split(String command) {
        CommandLine line = new CommandLine();
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            if (c == '\\' && i + 1 < command.length() && line.escapes(command.charAt(i + 1))) {
                line.add(command.charAt(++i));
            } else {
                line.read(c);
            }
        }
        if (line.quote != NONE) {
            throw new SetupException("the command of an MCP server has a quote that is not closed");
        }
        line.endWord();
        if (line.words.isEmpty()) {
            throw new SetupException("the command of an MCP server is empty");
        }
        return line.words;
    }

    private boolean escapes(char next) {
        return quote == NONE || (quote == '"' && (next == '"' || next == '\\'));
    }

    private void read(char c) {
        if (quote != NONE) {
            if (c == quote) {
                quote = NONE;
            } else {
                add(c);
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
            inWord = true;
        } else if (Character.isWhitespace(c)) {
            endWord();
        } else {
            add(c);
        }
    }

    private void add(char c) {
        word.append(c);
        inWord = true;
    }

    private void endWord() {
        if (inWord) {
            words.add(word.toString());
            word.setLength(0);
            inWord = false;
        }
    }
}
