//! How a body uses a name: not at all, by borrowing it, inside a macro call, or by value.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ExprMethodCall, Ident, Local, Pat, Stmt, UnOp};

use crate::values::bare;

/// The strongest use of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Usage {
    /// The name does not occur.
    #[default]
    Unused,
    /// A field of it is read, it is indexed, called, or the receiver of a method: what dereferences to it would do.
    Borrowed,
    /// A reference to it is taken: a reference to a reference would do, as a rule.
    Referenced,
    /// It is compared, assigned, dereferenced or matched: its type must be its own.
    Exact,
    /// It is the receiver of a method inside a macro call.
    Inside,
    /// It occurs where one cannot see whether it is consumed: inside a macro call, or as the receiver of a method
    /// that usually consumes.
    Unclear,
    /// It is used by value.
    Consumed,
}

/// A name, as far as its type tells more.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) name: String,
    /// A call consumes it: `impl FnOnce()`.
    pub(crate) is_called_once: bool,
    /// `*` moves out of it: `Box<T>`.
    pub(crate) is_box: bool,
}

/// How a name is used.
#[derive(Clone, Default)]
pub(crate) struct Found {
    pub(crate) usage: Usage,
    /// The fields of it that are used by value: whether that takes something out of it, only their types tell.
    pub(crate) fields: Vec<Expr>,
}

/// How `body` uses each of `names`. A body that does not parse is one macro call.
pub(crate) fn usage(body: &TokenStream, names: &[Named]) -> HashMap<String, Found> {
    let those = |is_it: fn(&Named) -> bool| {
        names.iter().filter(|named| is_it(named)).map(|named| named.name.clone()).collect()
    };
    let mut walk = Walk {
        found: names.iter().map(|named| (named.name.clone(), Found::default())).collect(),
        once: those(|named| named.is_called_once),
        boxes: those(|named| named.is_box),
        hidden: Vec::new(),
        moving: 0,
    };
    match Block::parse_within.parse2(body.clone()) {
        Ok(statements) => walk.scope(|walk| walk.statements(&statements)),
        Err(_) => walk.tokens(body.clone()),
    }
    walk.found
}

struct Walk {
    found: HashMap<String, Found>,
    /// Names of what can be called once only.
    once: Vec<String>,
    /// Names of what `*` moves out of.
    boxes: Vec<String>,
    /// Names that stand for something else here.
    hidden: Vec<String>,
    /// How many `move` closures and `async move` blocks are around: all that is named in them is moved.
    moving: usize,
}

impl Walk {
    fn see(&mut self, name: &str, usage: Usage) {
        if self.hidden.iter().any(|hidden| hidden == name) {
            return;
        }
        if let Some(found) = self.found.get_mut(name) {
            let usage = if self.moving > 0 { Usage::Consumed } else { usage };
            found.usage = usage.max(found.usage);
        }
    }

    /// A field is used by value.
    fn take_field(&mut self, field: &Expr) {
        let Some(name) = owner(field) else { return };
        if self.hidden.contains(&name) {
            return;
        }
        if let Some(found) = self.found.get_mut(&name) {
            let text = field.to_token_stream().to_string();
            if found.fields.iter().all(|other| other.to_token_stream().to_string() != text) {
                found.fields.push(field.clone());
            }
        }
    }

    /// What is declared in `inside` is gone afterwards.
    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        let outside = self.hidden.len();
        inside(self);
        self.hidden.truncate(outside);
    }

    /// The names that `pat` binds stand for something else from here on.
    fn declare(&mut self, pat: &Pat) {
        let mut bindings = Bindings::default();
        bindings.visit_pat(pat);
        self.hidden.extend(bindings.names);
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expr, _) => self.value(expr),
                Stmt::Macro(call) => self.tokens(call.mac.tokens.clone()),
                // An item sees none of the arguments.
                Stmt::Item(_) => {}
            }
        }
    }

    fn local(&mut self, local: &Local) {
        if let Some(init) = &local.init {
            self.matched(&init.expr, binds_by_value(&local.pat));
            if let Some((_, diverge)) = &init.diverge {
                self.value(diverge);
            }
        }
        self.declare(&local.pat);
    }

    fn block(&mut self, block: &Block) {
        self.scope(|walk| walk.statements(&block.stmts));
    }

    /// What a pattern is matched against: consumed if the pattern takes something out of it.
    fn matched(&mut self, expr: &Expr, takes: bool) {
        if takes { self.value(expr) } else { self.place(expr) }
    }

    /// An expression whose value is moved or copied.
    fn value(&mut self, expr: &Expr) {
        match expr {
            Expr::Path(_) => {
                if let Some(name) = name(expr) {
                    self.see(&name, Usage::Consumed);
                }
            }
            Expr::Reference(reference) => match name(bare(&reference.expr)) {
                Some(name) => self.see(&name, Usage::Referenced),
                None => {
                    // The compiler knows of a part that is borrowed apart from the rest only in a place of its own.
                    if let (Some(_), Some(name)) = (&reference.mutability, owner(bare(&reference.expr))) {
                        self.see(&name, Usage::Exact);
                    }
                    self.place(&reference.expr);
                }
            },
            Expr::RawAddr(address) => self.place(&address.expr),
            Expr::Field(_) => {
                self.take_field(expr);
                self.place(expr);
            }
            Expr::Index(_) => self.place(expr),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Call(call) => {
                match name(bare(&call.func)) {
                    Some(name) if self.once.contains(&name) => self.see(&name, Usage::Consumed),
                    Some(name) => self.see(&name, Usage::Borrowed),
                    None => self.place(&call.func),
                }
                call.args.iter().for_each(|argument| self.value(argument));
            }
            Expr::Binary(binary) => {
                let is_comparison = matches!(
                    binary.op,
                    BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
                );
                self.matched(&binary.left, !is_comparison && !is_assignment(&binary.op));
                self.matched(&binary.right, !is_comparison);
            }
            Expr::Unary(unary) => {
                let is_moved = match unary.op {
                    UnOp::Deref(_) => name(bare(&unary.expr)).is_some_and(|name| self.boxes.contains(&name)),
                    _ => true,
                };
                self.matched(&unary.expr, is_moved);
            }
            Expr::Cast(cast) => self.place(&cast.expr),
            Expr::Assign(assign) => {
                self.target(&assign.left);
                self.value(&assign.right);
            }
            Expr::Let(matched) => {
                self.matched(&matched.expr, binds_by_value(&matched.pat));
                self.declare(&matched.pat);
            }
            Expr::If(branch) => {
                self.scope(|walk| {
                    walk.value(&branch.cond);
                    walk.block(&branch.then_branch);
                });
                if let Some((_, other)) = &branch.else_branch {
                    self.value(other);
                }
            }
            Expr::While(turns) => self.scope(|walk| {
                walk.value(&turns.cond);
                walk.block(&turns.body);
            }),
            Expr::ForLoop(turns) => {
                self.value(&turns.expr);
                self.scope(|walk| {
                    walk.declare(&turns.pat);
                    walk.block(&turns.body);
                });
            }
            Expr::Match(choice) => {
                self.matched(&choice.expr, choice.arms.iter().any(|arm| binds_by_value(&arm.pat)));
                for arm in &choice.arms {
                    self.scope(|walk| {
                        walk.declare(&arm.pat);
                        if let Pat::Guard(guard) = &arm.pat {
                            walk.value(&guard.guard);
                        }
                        walk.value(&arm.body);
                    });
                }
            }
            Expr::Closure(closure) => self.moving(closure.capture.is_some(), |walk| {
                closure.inputs.iter().for_each(|input| walk.declare(input));
                walk.value(&closure.body);
            }),
            Expr::Async(future) => {
                self.moving(future.capture.is_some(), |walk| walk.statements(&future.block.stmts));
            }
            Expr::Block(block) => self.block(&block.block),
            Expr::Unsafe(block) => self.block(&block.block),
            Expr::Const(block) => self.block(&block.block),
            Expr::TryBlock(block) => self.block(&block.block),
            Expr::Loop(turns) => self.block(&turns.body),
            Expr::Macro(call) => self.tokens(call.mac.tokens.clone()),
            Expr::Verbatim(tokens) => self.tokens(tokens.clone()),
            // Their parts are used by value.
            other => visit::visit_expr(self, other),
        }
    }

    /// An expression that is looked at where it lies.
    fn place(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::Field(field) => self.whole(&field.base),
            Expr::Index(index) => {
                self.whole(&index.expr);
                self.value(&index.index);
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.place(&unary.expr),
            path @ Expr::Path(_) => {
                if let Some(name) = name(path) {
                    self.see(&name, Usage::Exact);
                }
            }
            other => self.value(other),
        }
    }

    /// What a field or an element is taken of.
    fn whole(&mut self, expr: &Expr) {
        match name(bare(expr)) {
            Some(name) => self.see(&name, Usage::Borrowed),
            None => self.place(expr),
        }
    }

    /// What is assigned to.
    fn target(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.target(part)),
            Expr::Array(array) => array.elems.iter().for_each(|part| self.target(part)),
            other => self.place(other),
        }
    }

    fn method_call(&mut self, call: &ExprMethodCall) {
        // `x.send(x.id())`, `x.list.push(x.number)`: the same.
        if let Some(name) = name(bare(&call.receiver)).or_else(|| owner(bare(&call.receiver))) {
            if mentions(call.args.to_token_stream(), &name) {
                self.see(&name, Usage::Exact);
            }
        }
        match name(bare(&call.receiver)) {
            Some(name) => self.see(&name, receiver_usage(&call.method)),
            None => {
                if receiver_usage(&call.method) != Usage::Borrowed {
                    self.take_field(bare(&call.receiver));
                }
                self.place(&call.receiver);
            }
        }
        call.args.iter().for_each(|argument| self.value(argument));
    }

    fn moving(&mut self, is_move: bool, inside: impl FnOnce(&mut Self)) {
        self.moving += usize::from(is_move);
        self.scope(inside);
        self.moving -= usize::from(is_move);
    }

    /// What is not parsed: the names in it may be anything.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (place, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => {
                    let (before, after) = (&tokens[..place], &tokens[place + 1..]);
                    if let Some(usage) = usage_in_tokens(before, after) {
                        self.see(&ident.to_string(), usage);
                    }
                }
                TokenTree::Literal(literal) => self.format_string(&literal.to_string()),
                TokenTree::Punct(_) => {}
            }
        }
    }

    /// `"{name}"` borrows.
    fn format_string(&mut self, text: &str) {
        let names: Vec<String> = self.found.keys().cloned().collect();
        for name in names {
            if text.contains(&format!("{{{name}}}")) || text.contains(&format!("{{{name}:")) {
                self.see(&name, Usage::Borrowed);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.value(expr);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.block(block);
    }

    fn visit_type(&mut self, _: &'ast syn::Type) {}
}

fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}

/// The variable that this expression is a field of.
fn owner(expr: &Expr) -> Option<String> {
    let Expr::Field(field) = expr else { return None };
    name(bare(&field.base)).or_else(|| owner(bare(&field.base)))
}

/// The variable that this expression is.
fn name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

fn is_dot(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == '.')
}

fn is_joint_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}

const fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// How a name is used that stands between these tokens; `None`: it is no variable.
fn usage_in_tokens(before: &[TokenTree], after: &[TokenTree]) -> Option<Usage> {
    let is_path = is_joint_colon(after.first());
    let is_operand = |token: Option<&TokenTree>| {
        matches!(token, Some(TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Group(_)))
    };
    let usage = match before {
        [.., TokenTree::Punct(reference), TokenTree::Ident(word)]
            if reference.as_char() == '&' && word == "mut" =>
        {
            Usage::Referenced
        }
        [first @ .., TokenTree::Punct(punct)] => match punct.as_char() {
            '.' if !is_dot(first.last()) => return None,
            '&' if !is_operand(first.last()) => Usage::Referenced,
            '*' if !is_operand(first.last()) => Usage::Exact,
            _ => receiver_in_tokens(after),
        },
        _ => receiver_in_tokens(after),
    };
    (!is_path).then_some(usage)
}

/// The use of a name by what follows it: `.field`, `.method(..)`, or anything else.
fn receiver_in_tokens(after: &[TokenTree]) -> Usage {
    match after {
        [TokenTree::Punct(dot), TokenTree::Ident(name), rest @ ..] if dot.as_char() == '.' => match rest
            .first()
        {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                if receiver_usage(name) == Usage::Borrowed { Usage::Inside } else { Usage::Unclear }
            }
            _ => Usage::Unclear,
        },
        _ => Usage::Unclear,
    }
}

/// What a method of that name does to its receiver. `into` and `into_..` consume it. So do those of `Option`, `Result`
/// and `Iterator` below, as a rule; whether the type at hand is one of these is not known here.
fn receiver_usage(method: &Ident) -> Usage {
    const USUALLY_CONSUMING: [&str; 59] = [
        "and",
        "and_then",
        "boxed",
        "boxed_local",
        "build",
        "chain",
        "cloned",
        "collect",
        "copied",
        "cycle",
        "enumerate",
        "err",
        "expect",
        "expect_err",
        "filter",
        "filter_map",
        "finish",
        "flat_map",
        "flatten",
        "fold",
        "for_each",
        "fuse",
        "inspect",
        "inspect_err",
        "is_none_or",
        "is_ok_and",
        "is_some_and",
        "map",
        "map_err",
        "map_or",
        "map_or_else",
        "map_while",
        "ok",
        "ok_or",
        "ok_or_else",
        "or",
        "or_else",
        "partition",
        "peekable",
        "product",
        "reduce",
        "rev",
        "scan",
        "shared",
        "skip",
        "skip_while",
        "step_by",
        "sum",
        "take_while",
        "transpose",
        "try_into",
        "unwrap",
        "unwrap_err",
        "unwrap_or",
        "unwrap_or_default",
        "unwrap_or_else",
        "unzip",
        "xor",
        "zip",
    ];
    let name = method.unraw().to_string();
    let is_owned = name.ends_with("_owned") && name != "to_owned";
    if name == "into" || name.starts_with("into_") {
        Usage::Consumed
    } else if is_owned || USUALLY_CONSUMING.contains(&name.as_str()) {
        Usage::Unclear
    } else {
        Usage::Borrowed
    }
}

/// Whether matching against `pat` may take something out of the value.
fn binds_by_value(pat: &Pat) -> bool {
    let mut bindings = Bindings::default();
    bindings.visit_pat(pat);
    bindings.by_value
}

/// The names that a pattern binds.
#[derive(Default)]
struct Bindings {
    names: Vec<String>,
    by_value: bool,
}

impl<'ast> Visit<'ast> for Bindings {
    fn visit_pat_ident(&mut self, binding: &'ast syn::PatIdent) {
        // A capital is a constant or a variant.
        let is_binding = binding.mutability.is_some()
            || binding.subpat.is_some()
            || !binding.ident.unraw().to_string().starts_with(char::is_uppercase);
        if is_binding || binding.by_ref.is_some() {
            self.names.push(binding.ident.to_string());
            self.by_value |= binding.by_ref.is_none();
        }
        if let Some((_, inner)) = &binding.subpat {
            self.visit_pat(inner);
        }
    }

    fn visit_expr_macro(&mut self, _: &'ast syn::PatMacro) {
        self.by_value = true;
    }

    fn visit_expr(&mut self, _: &'ast Expr) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn of_x(body: TokenStream) -> Usage {
        let found = usage(&body, &[Named { name: "x".to_owned(), ..Named::default() }]);
        found.get("x").map(|found| found.usage).unwrap_or_default()
    }

    #[test]
    fn by_value() {
        for body in [
            quote!(drop(x)),
            quote!(let y = x;),
            quote!(return x;),
            quote!(x?),
            quote!(x),
            quote!(x.await),
            quote!(S { x }),
            quote!(S { y: x }),
            quote!(S { ..x }),
            quote!((x, 1)),
            quote!([x]),
            quote!(for y in x {}),
            quote!(match x {
                Some(y) => y,
                None => 0,
            }),
            quote!(if let Some(y) = x {}),
            quote!(let Some(y) = x else { return };),
            quote!(x.into()),
            quote!(x.into_iter()),
            quote!(move || x.len()),
            quote!(async move { x.len() }),
            quote!(async move { f!(x) }),
            quote!(async move { println!("{x}") }),
            quote!(x + 1),
            quote!(a += x),
            quote!(a.call(x)),
            quote!(if c { x } else { y }),
            quote!(|| drop(x)),
            quote!({
                let y = 1;
                x
            }),
            quote!(&{ x }),
            quote!(a[x]),
            quote!(break x),
            quote!(let y = (x);),
        ] {
            assert_eq!(of_x(body.clone()), Usage::Consumed, "{body}");
        }
    }

    #[test]
    fn borrowed() {
        for body in [
            quote!(x.y),
            quote!(f(x.y)),
            quote!(let z = x.y.z;),
            quote!(x[0]),
            quote!(x()),
            quote!(x.len()),
            quote!(f(x.len())),
            quote!(|| x.len()),
            quote!(async { x.len() }),
            quote!(println!("{x}")),
            quote!(println!("{x:?}")),
        ] {
            assert_eq!(of_x(body.clone()), Usage::Borrowed, "{body}");
        }
    }

    #[test]
    fn borrowed_as_what_it_is() {
        for body in [
            quote!(x == y),
            quote!(y < x),
            quote!(*x),
            quote!(x = 1),
            quote!(x += 1),
            quote!((x, y) = f()),
            quote!(let _ = x;),
            quote!(let ref y = x;),
            quote!(match x {
                A => 1,
                B::C => 2,
                D(_) => 3,
                E { .. } => 4,
                1..=3 => 5,
                _ => 6,
            }),
            quote!(if let Some(ref y) = x {}),
            quote!(x as u64),
            quote!(f!(a, *x)),
        ] {
            assert_eq!(of_x(body.clone()), Usage::Exact, "{body}");
        }
        for body in [quote!(f(&x)), quote!(f(&mut x)), quote!(f!(&x))] {
            assert_eq!(of_x(body.clone()), Usage::Referenced, "{body}");
        }
    }

    #[test]
    fn fields_that_are_used_by_value() {
        let fields = |body: TokenStream| {
            let found = usage(&body, &[Named { name: "x".to_owned(), ..Named::default() }]);
            let text = |field: &Expr| field.to_token_stream().to_string();
            found.get("x").map(|found| found.fields.iter().map(text).collect::<Vec<_>>()).unwrap_or_default()
        };
        assert_eq!(
            fields(quote!(f(x.a); let y = x.b.c; g(x.a); x.d.into_iter())),
            ["x . a", "x . b . c", "x . d"]
        );
        assert!(fields(quote!(f(&x.a); x.b.len(); x.c[0]; x.d == y; if let Some(ref z) = x.e {})).is_empty());
        assert!(fields(quote!(let x = y; f(x.a))).is_empty());
    }

    #[test]
    fn a_box_is_moved_out_of() {
        let named = Named { name: "x".to_owned(), is_box: true, ..Named::default() };
        let found = usage(&quote!(let job = *x;), &[named]);
        assert_eq!(found.get("x").map(|found| found.usage), Some(Usage::Consumed));
        assert_eq!(of_x(quote!(let job = *x;)), Usage::Exact);
    }

    #[test]
    fn unclear() {
        for body in [
            quote!(f!(x)),
            quote!(vec![x; 2]),
            quote!(f!({ a(x) })),
            quote!(f!(0..x)),
            quote!(x.unwrap_or_default()),
            quote!(x.map(f)),
            quote!(let y = x.; ),
            quote!(f!(a & x)),
        ] {
            assert_eq!(of_x(body.clone()), Usage::Unclear, "{body}");
        }
        assert_eq!(of_x(quote!(f!(x.len()))), Usage::Inside);
        assert_eq!(of_x(quote!(f!(y = &mut x => 1))), Usage::Referenced);
    }

    #[test]
    fn not_at_all() {
        for body in [
            quote!(),
            quote!(y.x),
            quote!(f!(y.x)),
            quote!(x::f()),
            quote!(f!(x::f())),
            quote!(S { x: 1 }),
            quote!(y.x()),
            quote!(
                fn f(x: u32) -> u32 {
                    x
                }
            ),
            quote!(|x| drop(x)),
            quote!(match y {
                x => drop(x),
            }),
            quote!(for x in y {
                drop(x)
            }),
        ] {
            assert_eq!(of_x(body.clone()), Usage::Unused, "{body}");
        }
    }

    #[test]
    fn a_call_consumes_what_can_be_called_once() {
        let named = Named { name: "x".to_owned(), is_called_once: true, is_box: false };
        let found = usage(&quote!(x() + 1), &[named]);
        assert_eq!(found.get("x").map(|found| found.usage), Some(Usage::Consumed));
    }

    #[test]
    fn what_hides_the_argument_is_another_variable() {
        assert_eq!(of_x(quote!(let x = x.try_clone()?; drop(x);)), Usage::Borrowed);
        assert_eq!(of_x(quote!({ let x = 1; drop(x); } x.len())), Usage::Borrowed);
        assert_eq!(of_x(quote!(if let Some(x) = y { drop(x) } x.len())), Usage::Borrowed);
        assert_eq!(of_x(quote!({ let x = 1; } drop(x))), Usage::Consumed);
        assert_eq!(of_x(quote!(let x = x;)), Usage::Consumed);
    }
}
