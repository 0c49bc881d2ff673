//! Which arguments an attempt clones, lends or leaves alone: each attempt starts from what the caller passed.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::{
    Attribute, FnArg, Generics, Ident, Pat, PatIdent, Receiver, ReceiverKind, Signature, Token, Type,
    WherePredicate,
};

use crate::receiver;
use crate::site::Site;
use crate::usage::{Found, Named, Usage, usage};

/// What an attempt starts with.
pub(crate) struct Captures {
    /// Statements before the attempt.
    pub(crate) clones: TokenStream,
    /// Statements of the attempt itself, where it is made by a closure: they take what stands before it.
    pub(crate) takes: TokenStream,
    /// Statements before that closure, which keep a `mut` of an argument in use.
    pub(crate) touches: TokenStream,
    /// Arguments that the attempt gives back.
    pub(crate) kept: Vec<Kept>,
    /// What the attempt runs.
    pub(crate) body: TokenStream,
    pub(crate) turns: Turns,
    /// A `return` at the end of the body was no needless one where it stood.
    pub(crate) allow_return: bool,
}

/// How attempts follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// There is one only, and nothing to go back to.
    Once,
    InTurn,
    /// One may run beside another.
    Beside,
}

/// An argument that is moved to the attempt, and back after it.
pub(crate) struct Kept {
    /// Before all: a variable for the way back.
    pub(crate) declare: TokenStream,
    /// After the attempt, where the argument is shadowed: into that variable.
    pub(crate) put_back: TokenStream,
    /// Where it is not: into the argument.
    pub(crate) restore: TokenStream,
}

/// A variable that the body sees, and that is there before the first attempt.
#[derive(Clone)]
pub(crate) struct Binding {
    pub(crate) name: Ident,
    pub(crate) mutability: Option<Token![mut]>,
    pub(crate) holds: Holds,
    /// A call consumes it: `impl FnOnce()`.
    pub(crate) once: bool,
    /// `*` moves out of it: `Box<T>`.
    pub(crate) is_box: bool,
    /// Its type may hold an exclusive reference, which a shared loan of the whole would lock up.
    pub(crate) may_borrow: bool,
    /// Code that runs once uses it too, so a `mut` may be for that.
    pub(crate) is_used_before: bool,
    /// The `#[cfg]`s and `#[allow]`s of the argument.
    pub(crate) attrs: Vec<Attribute>,
}

/// What a variable holds, as far as its type tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A value, or something that is not known to be a reference.
    Value,
    /// `&T`
    Shared,
    /// `&mut T`
    Exclusive,
    /// A number, a `bool` or a `char`: a use of it is a copy already.
    Plain,
}

/// The types whose name tells that they are copied.
const PLAIN: [&str; 16] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
    "u128", "usize",
];

impl Holds {
    pub(crate) fn of(ty: &Type) -> Self {
        match ty {
            Type::Reference(reference) if reference.mutability.is_some() => Self::Exclusive,
            Type::Reference(_) => Self::Shared,
            Type::Group(group) => Self::of(&group.elem),
            Type::Paren(paren) => Self::of(&paren.elem),
            Type::Path(path) if PLAIN.iter().any(|name| path.path.is_ident(name)) => Self::Plain,
            _ => Self::Value,
        }
    }

    fn is_reference(self) -> bool {
        matches!(self, Self::Shared | Self::Exclusive)
    }
}

impl Captures {
    /// `analysed` is the part of `body` that the user wrote.
    pub(crate) fn new(
        turns: Turns,
        bindings: &[Binding],
        body: TokenStream,
        analysed: &TokenStream,
        site: &Site,
    ) -> Self {
        // Where there is one attempt, every argument is left alone.
        let bindings = if turns == Turns::Once { &[] } else { bindings };
        let named = |binding: &Binding| Named {
            name: binding.name.to_string(),
            is_called_once: binding.once,
            is_box: binding.is_box,
        };
        let found = usage(analysed, &bindings.iter().map(named).collect::<Vec<_>>());
        let (mut clones, mut takes, mut touches) =
            (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let mut kept = Vec::new();
        let mut renames_self = false;
        for binding in bindings {
            let found = found.get(&binding.name.to_string()).cloned().unwrap_or_default();
            let usage = found.usage;
            if turns == Turns::Beside {
                let given = binding.given(&found, site);
                renames_self |= binding.name == "self" && given.is_some();
                let (clone, take) = given.unwrap_or_default();
                clones.extend(clone);
                takes.extend(take);
                touches.extend(binding.touch(usage, site));
                continue;
            }
            let fresh = binding.fresh(&found, site);
            renames_self |= binding.name == "self" && fresh.is_some();
            clones.extend(fresh);
            kept.extend(binding.is_kept(usage).then(|| binding.kept(kept.len(), site)));
        }
        let body = if renames_self { receiver::rename(body) } else { body };
        Self { clones, takes, touches, kept, body, turns, allow_return: false }
    }
}

impl Binding {
    // Input:  mut x: T
    // Output: let x = Given::new(FRESH);
    //         async { let mut x = x.take(); .. }
    //
    // Where attempts run beside one another, each owns what it may change; what it owns goes into its future.
    fn given(&self, found: &Found, site: &Site) -> Option<(TokenStream, TokenStream)> {
        let (private, span) = (&site.private, site.span);
        let value = match self.holds {
            _ if found.usage == Usage::Unused => return None,
            Holds::Shared | Holds::Plain if self.mutability.is_some() => self.name.to_token_stream(),
            Holds::Value if self.mutability.is_some() => self.owned(site),
            _ => self.value(found, site)?,
        };
        let (attrs, mutability, name) = (&self.attrs, self.mutability, self.name_in_attempt());
        let allow = quote_spanned!(span=> #[allow(clippy::shadow_reuse, clippy::shadow_same)]);
        let clone = quote_spanned!(span=> #(#attrs)* #allow let #name = #private::Given::new(#value););
        let take = quote_spanned!(span=> #(#attrs)* #allow let #mutability #name = #name.take(););
        Some((clone, take))
    }

    // Input:  mut x: T
    // Output: CLONE_OR_COMPLAIN(&x)
    fn owned(&self, site: &Site) -> TokenStream {
        let (name, private, span) = (&self.name, &site.private, site.at(self.name.span()));
        quote_spanned! {span=>
            {
                #[allow(unused_imports)]
                use #private::{ConsumedClone as _, OwnedOther as _};
                (&&#private::Owned::new(&#name)).__retry_fresh()
            }
        }
    }

    /// The closure uses the argument as it is, so the lint would take its `mut` for a needless one.
    fn touch(&self, usage: Usage, site: &Site) -> Option<TokenStream> {
        let (attrs, name, span) = (&self.attrs, &self.name, site.span);
        self.mutability.filter(|_| usage != Usage::Unused && !self.is_used_before)?;
        Some(quote_spanned!(span=> #(#attrs)* { let _ = &mut #name; }))
    }

    /// The statement that makes the variable anew for one attempt; `None` where it is left alone.
    fn fresh(&self, found: &Found, site: &Site) -> Option<TokenStream> {
        let value = self.value(found, site)?;
        let (attrs, mutability, is_mut) = (&self.attrs, self.mutability, self.mutability.is_some());
        let name = self.name_in_attempt();
        let span = site.span;
        let pattern = if self.is_kept(found.usage) {
            let rest = self.rest(site);
            quote_spanned!(span=> (#mutability #name, #rest))
        } else {
            quote_spanned!(span=> #mutability #name)
        };
        let allow = (is_mut && self.is_used_before).then(|| quote_spanned!(span=> #[allow(unused_mut)]));
        Some(quote_spanned! {span=>
            #(#attrs)*
            #[allow(clippy::shadow_reuse, clippy::shadow_same)]
            #allow
            let #pattern = #value;
        })
    }

    /// What the variable is for one attempt; `None` where it is left alone.
    fn value(&self, Found { usage, fields }: &Found, site: &Site) -> Option<TokenStream> {
        let usage = *usage;
        if usage == Usage::Unused {
            return None;
        }
        let (name, is_mut) = (&self.name, self.mutability.is_some());
        let (span, private) = (site.at(name.span()), &site.private);
        Some(match self.holds {
            // Input:  x: &mut T
            // Output: let x = &mut *x;
            Holds::Exclusive if name == "self" && usage != Usage::Consumed => return None,
            // The block borrows what is behind it for as long as it runs.
            Holds::Exclusive if !is_mut && usage <= Usage::Exact => return None,
            // Through one more borrow where that keeps the argument's own `mut` in use.
            Holds::Exclusive if is_mut => quote_spanned!(span=> &mut **(&mut #name)),
            Holds::Exclusive => quote_spanned!(span=> &mut *#name),
            Holds::Shared | Holds::Plain if !is_mut => return None,
            // Input:  x: T, consumed
            // Output: let x = CLONE_OR_COMPLAIN(&x);
            Holds::Value | Holds::Plain if usage == Usage::Consumed => {
                // A borrow that is exclusive where it can be keeps the argument's own `mut` in use.
                let mutability = self.mutability.filter(|_| !self.is_used_before);
                quote_spanned! {span=>
                    {
                        #[allow(unused_imports)]
                        use #private::{ConsumedClone as _, ConsumedOther as _};
                        (&&#private::Consumed::new(&#mutability #name)).__retry_fresh()
                    }
                }
            }
            // Input:  mut x: T, borrowed
            // Output: let (mut x, rest) = CLONE_OR_MOVE(x);
            _ if self.is_kept(usage) => quote_spanned! {span=>
                {
                    #[allow(unused_imports)]
                    use #private::{KeptClone as _, KeptMoved as _};
                    (&&#private::Kept::new(#name)).__retry_take()
                }
            },
            // Input:  mut x: T, inside a macro call
            // Output: let mut x = CLONE_OR_LEND(&mut x);
            Holds::Shared | Holds::Value | Holds::Plain if is_mut => quote_spanned! {span=>
                {
                    #[allow(unused_imports)]
                    use #private::{FreshMutClone as _, FreshMutLent as _};
                    (&&#private::SlotMut::new(&mut #name)).__retry_fresh_mut()
                }
            },
            // Input:  x: T, inside a macro call
            // Output: let x = CLONE_OR_LEND(&x);
            Holds::Value if matches!(usage, Usage::Inside | Usage::Unclear) => quote_spanned! {span=>
                {
                    #[allow(unused_imports)]
                    use #private::{FreshClone as _, FreshLent as _};
                    (&&#private::Slot::new(&#name)).__retry_fresh()
                }
            },
            // Input:  x: T, with x.f by value
            // Output: let x = LEND_IF_COPY_OR_CLONE(&x, &x.f);
            Holds::Value if usage <= Usage::Referenced && !fields.is_empty() && !self.may_borrow => {
                let fields = fields
                    .iter()
                    .rfold(quote_spanned!(span=> ()), |rest, field| quote_spanned!(span=> (&#field, #rest)));
                quote_spanned! {span=>
                    {
                        #[allow(unused_imports)]
                        use #private::{FieldsCloned as _, FieldsCopied as _, FieldsConsumed as _};
                        (&&&#private::Whole::new(&#name, #fields)).__retry_fresh()
                    }
                }
            }
            Holds::Shared | Holds::Value | Holds::Plain => return None,
        })
    }

    fn name_in_attempt(&self) -> Ident {
        if self.name == "self" { Ident::new(receiver::RENAMED, self.name.span()) } else { self.name.clone() }
    }

    /// Whether an attempt gives the variable back: it needs one of the very type that it may change, and consumes none.
    fn is_kept(&self, usage: Usage) -> bool {
        self.mutability.is_some()
            && matches!(usage, Usage::Referenced | Usage::Exact)
            && self.holds != Holds::Exclusive
    }

    /// The name of what is left of the variable while an attempt has it.
    fn rest(&self, site: &Site) -> Ident {
        Ident::new(&format!("__retry_rest_of_{}", self.name.unraw()), site.span)
    }

    // Output: let __retry_x;
    //         { let (mut x, __retry_rest_of_x) = CLONE_OR_MOVE(x); ATTEMPT __retry_x = __retry_rest_of_x.put_back(x); }
    //         x = __retry_x;
    fn kept(&self, number: usize, site: &Site) -> Kept {
        let (attrs, name, inside, rest) = (&self.attrs, &self.name, self.name_in_attempt(), self.rest(site));
        let back = Ident::new(&format!("__retry_back_{number}"), site.span);
        let span = site.span;
        Kept {
            declare: quote_spanned!(span=> #(#attrs)* let #back;),
            put_back: quote_spanned!(span=> #(#attrs)* { #back = #rest.put_back(#inside); }),
            restore: quote_spanned!(span=> #(#attrs)* { #name = #back; }),
        }
    }
}

/// The variables that the arguments of a function bind.
pub(crate) fn bindings(sig: &Signature) -> Vec<Binding> {
    let mut bindings = Vec::new();
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(receiver) => bindings.push(receiver_binding(receiver)),
            FnArg::Typed(argument) => {
                // Whether it is there, and what the user allows of it.
                let is_kept =
                    |attr: &&Attribute| ["cfg", "allow"].iter().any(|name| attr.path().is_ident(name));
                let attrs: Vec<Attribute> = argument.attrs.iter().filter(is_kept).cloned().collect();
                let first = bindings.len();
                pattern_bindings(&argument.pat, Some(&argument.ty), &attrs, &mut bindings);
                let once = is_called_once(&argument.ty, &sig.generics);
                bindings.iter_mut().skip(first).for_each(|binding| binding.once = once);
            }
        }
    }
    bindings
}

/// `impl FnOnce()`, `Box<dyn FnOnce()>`, or a type parameter that is one.
fn is_called_once(ty: &Type, generics: &Generics) -> bool {
    if mentions(ty.to_token_stream(), "FnOnce") {
        return true;
    }
    let Type::Path(path) = ty else { return false };
    let Some(name) = path.path.get_ident() else { return false };
    let declared = generics
        .type_params()
        .any(|param| param.ident == *name && mentions(param.bounds.to_token_stream(), "FnOnce"));
    let constrained = generics.where_clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| {
        matches!(predicate, WherePredicate::Type(bound)
            if matches!(&bound.bounded_ty, Type::Path(bounded) if bounded.path.is_ident(name))
                && mentions(bound.bounds.to_token_stream(), "FnOnce"))
    });
    declared || constrained
}

fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}

/// The variables that can be seen where all of these have been declared, one after the other.
pub(crate) fn visible(bindings: Vec<Binding>) -> Vec<Binding> {
    let mut visible: Vec<Binding> = Vec::new();
    for binding in bindings {
        visible.retain(|earlier| earlier.name != binding.name);
        visible.push(binding);
    }
    visible
}

pub(crate) fn receiver_binding(receiver: &Receiver) -> Binding {
    let holds = match &receiver.kind {
        ReceiverKind::Value => Holds::Value,
        ReceiverKind::Reference(_, _, mutability) if mutability.is_some() => Holds::Exclusive,
        ReceiverKind::Reference(..) => Holds::Shared,
        ReceiverKind::Typed(_, ty) => Holds::of(ty),
        _ => Holds::Value,
    };
    let name = Ident::new("self", receiver.self_token.span);
    let is_box = matches!(&receiver.kind, ReceiverKind::Typed(_, ty) if is_box(ty));
    Binding {
        name,
        mutability: receiver.mutability,
        holds,
        once: false,
        is_box,
        may_borrow: false,
        is_used_before: false,
        attrs: Vec::new(),
    }
}

/// Whether a lifetime or a reference is written in the type.
fn may_borrow(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => matches!(punct.as_char(), '&' | '\''),
        TokenTree::Group(group) => may_borrow(group.stream()),
        _ => false,
    })
}

/// `Box<T>`: the one type that `*` moves out of.
fn is_box(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Box"))
}

/// The variables that `pat` binds, matched against a value of type `ty`, where that is known.
pub(crate) fn pattern_bindings(
    pat: &Pat,
    ty: Option<&Type>,
    attrs: &[Attribute],
    bindings: &mut Vec<Binding>,
) {
    let mut each = |pats: &mut dyn Iterator<Item = (&Pat, Option<&Type>)>| {
        pats.for_each(|(pat, ty)| pattern_bindings(pat, ty, attrs, bindings));
    };
    match pat {
        Pat::Ident(PatIdent { by_ref, mutability, ident, subpat, .. }) => {
            let holds = match by_ref {
                None => ty.map_or(Holds::Value, Holds::of),
                Some(_) if mutability.is_some() => Holds::Exclusive,
                Some(_) => Holds::Shared,
            };
            let mutability = if by_ref.is_some() { None } else { *mutability };
            bindings.push(Binding {
                name: ident.clone(),
                mutability,
                holds,
                once: false,
                is_box: by_ref.is_none() && ty.is_some_and(is_box),
                may_borrow: ty.is_some_and(|ty| may_borrow(ty.to_token_stream())),
                is_used_before: false,
                attrs: attrs.to_vec(),
            });
            if let Some((_, inner)) = subpat {
                pattern_bindings(inner, ty, attrs, bindings);
            }
        }
        Pat::Paren(paren) => pattern_bindings(&paren.pat, ty, attrs, bindings),
        Pat::Type(typed) => pattern_bindings(&typed.pat, Some(&typed.ty), attrs, bindings),
        Pat::Reference(reference) => {
            let ty = match ty {
                Some(Type::Reference(ty)) => Some(&*ty.elem),
                _ => None,
            };
            pattern_bindings(&reference.pat, ty, attrs, bindings);
        }
        Pat::Tuple(tuple) => {
            let types = match ty {
                Some(Type::Tuple(types)) if types.elems.len() == tuple.elems.len() => Some(&types.elems),
                _ => None,
            };
            let whole = ty.filter(|ty| Holds::of(ty).is_reference());
            each(
                &mut tuple
                    .elems
                    .iter()
                    .enumerate()
                    .map(|(place, pat)| (pat, types.and_then(|types| types.iter().nth(place)).or(whole))),
            );
        }
        // Through a reference, the parts are references too.
        Pat::TupleStruct(parts) => {
            let ty = ty.filter(|ty| Holds::of(ty).is_reference());
            each(&mut parts.elems.iter().map(|pat| (pat, ty)));
        }
        Pat::Struct(parts) => {
            let ty = ty.filter(|ty| Holds::of(ty).is_reference());
            each(&mut parts.fields.iter().map(|field| (&*field.pat, ty)));
        }
        Pat::Slice(parts) => {
            let elem = match ty {
                Some(Type::Array(array)) => Some(&*array.elem),
                other => other.filter(|ty| Holds::of(ty).is_reference()),
            };
            each(&mut parts.elems.iter().map(|pat| (pat, elem)));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use crate::errors::Errors;
    use quote::quote;

    fn clones(signature: TokenStream, body: TokenStream) -> Vec<String> {
        let sig: Signature = syn::parse2(signature).expect("a signature");
        let site = Site::new(&Args::parse(TokenStream::new(), &[], &mut Errors::default()));
        let captures = Captures::new(Turns::InTurn, &bindings(&sig), body.clone(), &body, &site);
        let text = captures.clones.to_string();
        text.split("let ")
            .skip(1)
            .map(|clone| clone.split(" =").next().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn each_binding_of_a_pattern_on_its_own() {
        let sig = quote!(async fn f((a, mut b): (String, u32), Pair { c, .. }: Pair, &d: &Id));
        assert_eq!(clones(sig, quote!(f(a, &c, d); b += 1;)), ["a", "(mut b , __retry_rest_of_b)", "d"]);
    }

    #[test]
    fn a_number_is_copied_by_its_use_already() {
        let sig = quote!(async fn f(a: u64, mut b: u64, &c: &char, d: Vec<u64>));
        assert_eq!(clones(sig, quote!(f(a, b, c, d))), ["mut b", "d"]);
    }

    #[test]
    fn references_are_never_cloned() {
        let sig = quote!(async fn f(&self, a: &str, b: &mut u32, mut c: &str, (d, e): (&str, &mut u32)));
        assert_eq!(clones(sig, quote!(f(self, a, b, c, d, e))), ["b", "mut c", "e"]);
    }

    #[test]
    fn unused_arguments_are_left_alone() {
        let sig = quote!(async fn f(a: Guard, mut b: Guard, c: &mut u32, _: Guard));
        assert!(clones(sig, quote!(Ok(()))).is_empty());
    }
}
