/**
 * Lines of the journal, read: {@code EventReader} is the inverse of the writer of events, on {@code Fields}; {@code JsonSyntax},
 * {@code HeadScan} and {@code LineHead} read no more of a line than is needed, {@code LineFields} and {@code WholeJson} its fields
 * one by one; {@code ShownMessages} puts in what earlier lines have told. For modules of the journal: no promise of
 * compatibility is made of these types.
 */
@NullMarked
package dev.rlm.journal.line;

import org.jspecify.annotations.NullMarked;
